import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { form, memoryStore, text } from "../../src/entry/index.js";
import { sdkWorld } from "../support/sdk-janitor.js";
import type { SdkWorld } from "../support/sdk-janitor.js";

let world: SdkWorld;
let client: Client;

async function connect(server: McpServer, capabilities: object): Promise<void> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  client = new Client({ name: "test", version: "1" }, { capabilities });
  if ("elicitation" in capabilities) {
    client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => ({
      action: "accept",
      content: message === "Why?" ? { reason: "merged" } : {},
    }));
  }
  await server.connect(ours);
  await client.connect(theirs);
}

afterEach(async () => {
  await client.close();
  world.parley.close();
});

const DELETE = { name: "delete_branch", arguments: { branch: "old" } };

describe("a client of the 2025 revisions", () => {
  it("is asked in its own way, and every state on the way is opened and spent", async () => {
    const store = memoryStore();
    world = sdkWorld({ store });
    await connect(world.make(), { elicitation: {} });
    expect(await client.callTool(DELETE)).toMatchObject({ content: [{ text: "Deleted old." }] });
    expect(world.effects).toEqual(["delete_branch old: merged"]);
    const ends = world.events.flatMap((event) =>
      event.type === "round_ended" ? [[event.round, event.end]] : [],
    );
    expect(ends).toEqual([
      [1, "input_required"],
      [2, "input_required"],
      [3, "complete"],
    ]);
    // two states spent, one effect done
    expect(store.rows).toBe(3);
  });

  it("is told when it cannot be asked, and nothing happens", async () => {
    world = sdkWorld();
    await connect(world.make(), {});
    expect(await client.callTool(DELETE)).toMatchObject({
      content: [{ text: expect.stringContaining("'sure'") as unknown }],
      isError: true,
    });
    expect(world.effects).toEqual([]);
  });

  it("is taken at its word where the flow was told what it declared", async () => {
    world = sdkWorld();
    const server = new McpServer(
      { name: "janitor", version: "1" },
      { requestState: world.parley.requestState },
    );
    const can = (known: boolean) =>
      server.registerTool(
        known ? "known" : "assumed",
        { inputSchema: z.object({}) },
        world.parley.flow(
          known ? "known" : "assumed",
          async (_args, call) => {
            if (!call.can("form")) return text("did without");
            await call.ask("sure", form("Sure?"));
            return text("asked");
          },
          known ? { capabilities: () => server.server.getClientCapabilities() } : {},
        ),
      );
    can(true);
    can(false);
    await connect(server, {});
    expect(await client.callTool({ name: "known", arguments: {} })).toMatchObject({
      content: [{ text: "did without" }],
    });
    expect(await client.callTool({ name: "assumed", arguments: {} })).toMatchObject({
      isError: true,
    });
  });
});
