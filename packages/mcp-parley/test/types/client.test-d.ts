import { expectTypeOf, test } from "vitest";
import { answered, connect } from "../../src/entry/client.js";
import type {
  CallToolResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  GetPromptResult,
  PendingCall,
  ReadResourceResult,
  Tool,
} from "../../src/entry/client.js";

const client = await connect("https://example.com/mcp", {
  answer: {
    form: (question, about) => {
      expectTypeOf(question).toEqualTypeOf<ElicitRequestFormParams>();
      expectTypeOf(about.signal).toEqualTypeOf<AbortSignal>();
      return { action: "accept", content: { ok: true } };
    },
    url: (question) => {
      expectTypeOf(question).toEqualTypeOf<ElicitRequestURLParams>();
      return { action: "decline" };
    },
  },
});

test("each call comes to its own kind of result", async () => {
  expectTypeOf(
    await client.callTool({ name: "t", arguments: { a: [1] } }),
  ).toEqualTypeOf<CallToolResult>();
  expectTypeOf(await client.getPrompt({ name: "p" })).toEqualTypeOf<GetPromptResult>();
  expectTypeOf(await client.readResource({ uri: "a:b" })).toEqualTypeOf<ReadResourceResult>();
  for await (const tool of client.listTools()) expectTypeOf(tool).toEqualTypeOf<Tool>();
});

test("a turn keeps its method through answers, storage and restarts", async () => {
  let turn = await client.begin("tools/call", { name: "t", arguments: {} });
  if (turn.kind === "input_required") {
    expectTypeOf(turn.pending).toEqualTypeOf<PendingCall<"tools/call">>();
    const stored = JSON.parse(JSON.stringify(turn.pending)) as PendingCall<"tools/call">;
    turn = await client.resume(answered(stored, "sure", { action: "accept" }));
  }
  if (turn.kind === "refused") {
    expectTypeOf(turn.reason).toEqualTypeOf<"expired" | "spent">();
    turn = await client.restart(turn.pending);
  }
  if (turn.kind === "complete") expectTypeOf(turn.result).toEqualTypeOf<CallToolResult>();
});

test("params are those of the method, and other methods have no turns", () => {
  // @ts-expect-error -- a resource has a URI
  void client.begin("resources/read", { name: "t" });
  // @ts-expect-error -- a list takes one round
  void client.begin("tools/list", {});
  // @ts-expect-error -- an action is one of three
  void connect("https://example.com/mcp", { answer: { form: () => ({ action: "maybe" }) } });
});
