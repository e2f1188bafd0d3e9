import { describe, expect, test } from "vitest";
import { RpcError, connect } from "../../src/entry/client-node.js";
import { ask, form, json, scripted, stream, type Reply } from "./scripted.js";

const answer = { form: () => ({ action: "accept" as const }) };
const result = (value: unknown): Reply => ({ result: value });
const content = [{ type: "text", text: "done" }];

/** Plays one call against a server that always answers the same, and counts the requests. */
async function play(reply: Reply, method: "call" | "list" = "call") {
  const server = await scripted(() => reply);
  const client = await connect(server.url, { answer });
  const outcome = await (
    method === "call" ? client.callTool({ name: "t" }) : client.listTools().all()
  ).then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error: error as { code?: string } }),
  );
  await client.close();
  return { ...outcome, requests: server.requests };
}

describe("what is no answer ends the call at once, and nothing is sent again", () => {
  const question = form("?");
  test.each<[string, Reply]>([
    ["input_required with neither member", result({ resultType: "input_required" })],
    ["input_required with an empty map", ask({})],
    ["input_required with a list of questions", ask([question])],
    ["input_required with a numeric state", ask({ q: question }, 7)],
    ["input_required with a null state", ask({ q: question }, null)],
    ["a question that is no object", ask({ q: "?" })],
    ["an embedded tools/call", ask({ q: { method: "tools/call", params: { name: "x" } } })],
    ["an embedded method of nobody's", ask({ q: { method: "x/y", params: {} } })],
    ["a form without a message", ask({ q: { method: "elicitation/create", params: {} } })],
    [
      "a form whose schema is nested",
      ask({
        q: form("?", { a: { type: "object", properties: {} } }),
      }),
    ],
    [
      "an elicitation of an unknown mode",
      ask({ q: { method: "elicitation/create", params: { mode: "voice", message: "?" } } }),
    ],
    ["an unknown resultType", result({ resultType: "task", taskId: "1" })],
    ["a resultType that is no text", result({ resultType: 7, content })],
    ["a null resultType", result({ resultType: null, content })],
    ["a result that is a list", result([])],
    ["a result that is null", result(null)],
    ["a complete result without content", result({ resultType: "complete" })],
    ["an error that is text", { error: "boom" }],
    ["an error without a code", { error: { message: "boom" } }],
    ["an error with a fractional code", { error: { code: 1.5, message: "boom" } }],
    ["neither result nor error", { raw: (to) => json(to, 200, { jsonrpc: "2.0", id: 2 }) }],
    [
      "both result and error",
      {
        raw: (to) =>
          json(to, 200, {
            jsonrpc: "2.0",
            id: 2,
            result: { resultType: "complete", content },
            error: { code: 1, message: "x" },
          }),
      },
    ],
    ["another id", { raw: (to) => json(to, 200, { jsonrpc: "2.0", id: 77, result: { content } }) }],
    [
      "the id as text",
      { raw: (to) => json(to, 200, { jsonrpc: "2.0", id: "2", result: { content } }) },
    ],
    ["a batch", { raw: (to) => json(to, 200, [{ jsonrpc: "2.0", id: 2, result: { content } }]) }],
    ["no JSON", { raw: (to) => json(to, 200, "{") }],
    ["JSON-RPC 1", { raw: (to) => json(to, 200, { id: 2, result: { content } }) }],
    [
      "a member that occurs twice",
      {
        raw: (to) =>
          json(
            to,
            200,
            '{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"a","requestState":"b"}}',
          ),
      },
    ],
    [
      "another id on a stream",
      { raw: (to) => stream(to, [{ jsonrpc: "2.0", id: 77, result: { content } }]) },
    ],
  ])("%s", async (_name, reply) => {
    const { value, error, requests } = await play(reply);
    expect(value).toBeUndefined();
    expect(error).toMatchObject({ name: "ParleyError", code: "result_invalid" });
    expect(requests).toHaveLength(1);
  });

  test("a list that asks", async () => {
    const { error, requests } = await play(ask({ q: question }, "s"), "list");
    expect(error).toMatchObject({ code: "result_invalid" });
    expect(requests).toHaveLength(1);
  });

  test("a kind of question that was not declared", async () => {
    const server = await scripted(() =>
      ask({
        q: {
          method: "elicitation/create",
          params: { mode: "url", message: "?", url: "https://x.example/" },
        },
      }),
    );
    const client = await connect(server.url, { capabilities: { elicitation: { form: {} } } });
    await expect(client.begin("tools/call", { name: "t" })).rejects.toMatchObject({
      code: "result_invalid",
    });
    await client.close();
    expect(server.requests).toHaveLength(1);
  });
});

describe("what counts as complete", () => {
  test.each<[string, unknown]>([
    ["a resultType that says so", { resultType: "complete", content }],
    ["no resultType, as from servers of earlier revisions", { content }],
    ["members nobody knows", { resultType: "complete", content, extra: { a: 1 } }],
  ])("%s", async (_name, given) => {
    const { value, requests } = await play(result(given));
    expect(value).toEqual(given);
    expect(requests).toHaveLength(1);
  });
});

describe("errors of the server's", () => {
  test.each([
    [200, -32602, { reason: "expired" }],
    [400, -32021, { requiredCapabilities: { sampling: {} } }],
    [404, -32601, undefined],
    [500, -32603, undefined],
    [200, 12345, [1]],
    [200, -32002, { uri: "r://1" }],
    [200, -32001, undefined],
    [200, -32042, { elicitations: [] }],
  ])("with status %i and code %i reach the caller as they are", async (status, code, data) => {
    const { error } = await play({
      raw: (to) =>
        json(to, status, { jsonrpc: "2.0", id: 2, error: { code, message: "no", data } }),
    });
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: "rpc", rpcCode: code, message: "no", data });
  });

  test.each([{}, { id: null }])("without a readable id (%j) too", async (id) => {
    const { error } = await play({
      raw: (to) =>
        json(to, 400, { jsonrpc: "2.0", ...id, error: { code: -32700, message: "parse" } }),
    });
    expect(error).toMatchObject({ code: "rpc", rpcCode: -32700 });
  });
});

test("a question nobody can answer names its key and kind, before any function is called", async () => {
  let called = 0;
  const server = await scripted(() =>
    ask({
      name: form("Name?"),
      model: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
    }),
  );
  const client = await connect(server.url, {
    capabilities: { sampling: {} },
    answer: {
      form: () => {
        called += 1;
        return { action: "accept" };
      },
    },
  });
  const error: unknown = await client.callTool({ name: "t" }).catch((e: unknown) => e);
  await client.close();
  expect(error).toMatchObject({ code: "answer_missing" });
  expect(String(error)).toContain('"model" (sample)');
  expect(String(error)).not.toContain('"name"');
  expect(called).toBe(0);
  expect(server.requests).toHaveLength(1);
});

test("a result of an extension the client declared comes from begin()", async () => {
  const task = { resultType: "task", taskId: "1" };
  const server = await scripted(() => result(task));
  const client = await connect(server.url, {
    capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    resultTypes: ["task"],
  });
  const turn = await client.begin("tools/call", { name: "t" });
  await expect(client.callTool({ name: "t" })).rejects.toMatchObject({ code: "usage" });
  await client.close();
  expect(turn).toEqual({ kind: "extension", resultType: "task", result: task });
});
