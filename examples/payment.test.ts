import { accept, conditions, rehearse } from "mcp-parley/testing";
import { expect, test } from "vitest";
import { shop } from "./payment.js";
import { Provider } from "./provider.js";

test.each(conditions)("an order is charged once: $name", async (condition) => {
  const provider = new Provider();
  const play = rehearse((options) => shop(provider, options), condition);
  const call = { name: "pay", arguments: { order: "A-1", amount: 5 } };

  const { structuredContent } = await play.callTool(call, { sure: accept() });

  expect(structuredContent).toEqual({ receipt: "receipt-1" });
  expect(await play.callTool(call, { sure: accept() })).toMatchObject({ structuredContent }); // started over
  expect(provider.charged).toBe(1);
  await play.close();
});
