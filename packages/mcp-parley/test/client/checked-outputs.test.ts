import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import { openClient } from "../../src/client/open.js";
import { connect } from "../../src/entry/client-node.js";
import { jsonSchema } from "../../src/entry/json-schema.js";
import { MemoryLink } from "./memory-link.js";
import { ask, form, scripted, type Reply } from "./scripted.js";

const SCHEMA = {
  type: "object",
  properties: { celsius: { type: "number" } },
  required: ["celsius"],
};

const tool = (name: string, outputSchema?: unknown) => ({
  name,
  inputSchema: { type: "object" },
  ...(outputSchema === undefined ? {} : { outputSchema }),
});

/** A server that lists these tools and gives this result; and a client of it that checks. */
async function serving(tools: () => unknown[], result: object, hints: object = {}) {
  const complete = { resultType: "complete", ...hints };
  const server = await scripted(({ method }): Reply => ({
    result:
      method === "tools/list"
        ? { ...complete, tools: tools() }
        : { resultType: "complete", content: [], ...result },
  }));
  const client = await connect(server.url, { checkOutput: jsonSchema });
  return { client, requests: server.requests };
}

const call = async (client: Client, name = "t"): Promise<unknown> =>
  client.callTool({ name }).catch((error: unknown) => error);

describe("a client that checks what tools give", () => {
  test("takes what fits", async () => {
    const { client } = await serving(() => [tool("t", SCHEMA)], {
      structuredContent: { celsius: 22.5 },
    });
    await client.listTools().all();
    expect(await call(client)).toMatchObject({ structuredContent: { celsius: 22.5 } });
    await client.close();
  });

  test.each<[string, object]>([
    ["breaks the schema", { structuredContent: { celsius: "warm" } }],
    ["lacks what is required", { structuredContent: {} }],
    ["has no structure", {}],
    ["says otherwise than true that it failed", { isError: "yes" }],
  ])("refuses what %s", async (_, result) => {
    const { client } = await serving(() => [tool("t", SCHEMA)], result);
    await client.listTools().all();
    expect(await call(client)).toMatchObject({
      code: "result_invalid",
      message: expect.stringContaining("outputSchema") as string,
    });
    await client.close();
  });

  test.each<[string, unknown[], object]>([
    ["of a tool that failed", [tool("t", SCHEMA)], { isError: true }],
    ["of a tool without a schema", [tool("t")], { structuredContent: 7 }],
    ["of a tool that was not listed", [tool("other", SCHEMA)], { structuredContent: 7 }],
  ])("leaves alone what is %s", async (_, tools, result) => {
    const { client } = await serving(() => tools, result);
    await client.listTools().all();
    expect(await call(client)).toMatchObject(result);
    await client.close();
  });

  test.each<[string, unknown]>([
    ["refers to the network", { $ref: "https://example.com/schema.json" }],
    ["is of a dialect nobody knows", { $schema: "https://example.com/dialect", type: "object" }],
    ["is none", 7],
    ["is null", null],
  ])("does not call a tool whose schema %s", async (_, schema) => {
    const { client, requests } = await serving(() => [tool("t", schema)], {});
    await client.listTools().all();
    expect(await call(client)).toMatchObject({ code: "result_invalid" });
    expect(requests.map(({ method }) => method)).toEqual(["tools/list"]);
    await client.close();
  });

  test("goes by the last list, kept ones included", async () => {
    let schema: unknown = { type: "number" };
    const hints = { ttlMs: 60_000, cacheScope: "private" };
    const result = { structuredContent: { celsius: 1 } };
    const { client } = await serving(() => [tool("t", schema)], result, hints);
    await client.listTools().all();
    expect(await call(client)).toMatchObject({ code: "result_invalid" });
    schema = SCHEMA;
    await client.listTools().all(); // as it was kept
    expect(await call(client)).toMatchObject({ code: "result_invalid" });
    await client.listTools({ refresh: true }).all();
    expect(await call(client)).toMatchObject(result);
    schema = undefined;
    await client.listTools({ refresh: true }).all();
    expect(await call(client)).toMatchObject(result);
    await client.close();
  });

  test("checks what a call of several rounds ends with, over links without headers, too", async () => {
    let result: object = { structuredContent: { celsius: "warm" } };
    const question = ask({ q: form("?") }, "s") as { result: Record<string, unknown> };
    const link = new MemoryLink(({ method, params }) =>
      method === "tools/list"
        ? { result: { resultType: "complete", tools: [tool("t", SCHEMA)] } }
        : params["requestState"] === undefined
          ? question
          : { result: { resultType: "complete", content: [], ...result } },
    );
    const client = await openClient(link, {
      checkOutput: jsonSchema,
      answer: { form: () => ({ action: "accept" }) },
    });
    await client.listTools().all();
    expect(await call(client)).toMatchObject({ code: "result_invalid" });
    result = { structuredContent: { celsius: 1 } };
    expect(await call(client)).toMatchObject(result);
    await client.close();
  });

  test("remembers schemas up to a bound: what was listed longest ago goes first", async () => {
    const large = { ...SCHEMA, description: "x".repeat(1_500_000) };
    const tools = ["a", "b", "c"].map((name) => tool(name, large));
    const link = new MemoryLink(({ method }) => ({
      result: {
        resultType: "complete",
        ...(method === "tools/list" ? { tools } : { content: [] }),
      },
    }));
    const client = await openClient(link, { checkOutput: jsonSchema });
    await client.listTools().all();
    expect(await call(client, "a")).toMatchObject({ content: [] });
    expect(await call(client, "b")).toMatchObject({ code: "result_invalid" });
    expect(await call(client, "c")).toMatchObject({ code: "result_invalid" });
    await client.close();
  });
});

test("a client that was not told to check does not", async () => {
  const link = new MemoryLink(({ method }) => ({
    result: {
      resultType: "complete",
      ...(method === "tools/list" ? { tools: [tool("t", SCHEMA)] } : { content: [] }),
    },
  }));
  const client = await openClient(link);
  await client.listTools().all();
  expect(await call(client)).toMatchObject({ content: [] });
  await client.close();
});
