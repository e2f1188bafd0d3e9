import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PendingCall, answered, connect } from "../../src/entry/client-node.js";
import { ask, form, json, scripted, text } from "./scripted.js";

const capabilities = { elicitation: { form: {} } };
const schema = { reason: { type: "string", minLength: 2 } };
const questions = { sure: form("Sure?"), why: form("Why?", schema, ["reason"]) };

/** A server that asks two things at once, and says what it got. */
const twoQuestions = () =>
  scripted(({ params }) =>
    params.inputResponses === undefined
      ? {
          result: {
            resultType: "input_required",
            inputRequests: questions,
            requestState: "state 1",
            _meta: { "mcp-parley/expires": 1_800_000_000_000 },
          },
        }
      : text(JSON.stringify(params)),
  );

async function begun(url: string, name = "t"): Promise<PendingCall<"tools/call">> {
  const client = await connect(url, { capabilities });
  const turn = await client.begin("tools/call", { name, arguments: { a: 1 }, _meta: { mine: 1 } });
  await client.close();
  if (turn.kind !== "input_required") throw new Error(turn.kind);
  return turn.pending;
}

test("a pending call is plain JSON, and says what a host has to know", async () => {
  const server = await twoQuestions();
  const pending = await begun(server.url);
  expect(pending).toEqual({
    version: 1,
    server: { address: server.url, name: "scripted" },
    method: "tools/call",
    params: { name: "t", arguments: { a: 1 }, _meta: { mine: 1 } },
    capabilities,
    round: 1,
    idle: 0,
    requestId: 2,
    inputRequests: questions,
    answers: {},
    requestState: "state 1",
    expiresAt: 1_800_000_000_000,
  });
  expect(JSON.parse(JSON.stringify(pending))).toEqual(pending);
});

test("it is answered bit by bit, stored in between, and resumed by another client", async () => {
  const server = await twoQuestions();
  const first = await begun(server.url);
  const half = answered(first, "sure", { action: "accept" });
  expect(first.answers).toEqual({});

  const stored = JSON.parse(JSON.stringify(half)) as typeof half;
  const client = await connect(server.url, { capabilities: {} });
  await expect(client.resume(stored)).rejects.toMatchObject({
    code: "answer_missing",
    message: expect.stringContaining('"why"') as string,
  });
  expect(server.requests).toHaveLength(1);

  const whole = answered(stored, "why", { action: "accept", content: { reason: "old" } });
  const turn = await client.resume(whole);
  await client.close();
  expect(turn.kind).toBe("complete");
  const [begin, retry] = server.requests;
  expect(retry?.params).toEqual({
    ...begin?.params,
    inputResponses: {
      sure: { action: "accept", content: {} },
      why: { action: "accept", content: { reason: "old" } },
    },
    requestState: "state 1",
  });
  // Two clients each begin at 1: the retry must still have another id than the request it retries.
  expect(retry?.id).not.toBe(begin?.id);
});

describe("answered()", () => {
  test("holds the answer against its question", async () => {
    const server = await twoQuestions();
    const pending = await begun(server.url);
    expect(() => answered(pending, "why", { action: "accept", content: { reason: "x" } })).toThrow(
      expect.objectContaining({
        code: "answer_invalid",
        key: "why",
        issues: [expect.objectContaining({ field: "reason" })],
      }),
    );
    expect(() => answered(pending, "other", { action: "accept" })).toThrow(
      expect.objectContaining({ code: "answer_invalid", key: "other" }),
    );
    expect(() => answered(pending, "__proto__", { action: "accept" })).toThrow(
      expect.objectContaining({ code: "answer_invalid" }),
    );
  });

  test("may change an answer until it is sent", async () => {
    const server = await twoQuestions();
    const yes = answered(await begun(server.url), "sure", { action: "accept" });
    expect(answered(yes, "sure", { action: "decline" }).answers).toEqual({
      sure: { action: "decline" },
    });
  });

  test("takes the words a server uses for keys as they are", async () => {
    const server = await scripted(({ params }) =>
      params.inputResponses === undefined
        ? {
            raw: (to) =>
              json(
                to,
                200,
                `{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"__proto__":${JSON.stringify(form("?"))}}}}`,
              ),
          }
        : text("done"),
    );
    const stored = JSON.stringify(await begun(server.url));
    const client = await connect(server.url, { capabilities });
    const pending = answered(JSON.parse(stored) as PendingCall, "__proto__", { action: "cancel" });
    expect((await client.resume(pending)).kind).toBe("complete");
    await client.close();
    expect(server.requests[1]?.body).toContain(
      '"inputResponses":{"__proto__":{"action":"cancel"}}',
    );
  });
});

test("another server does not get it", async () => {
  const mine = await twoQuestions();
  const other = await twoQuestions();
  const pending = answered(answered(await begun(mine.url), "sure", { action: "accept" }), "why", {
    action: "cancel",
  });
  const client = await connect(other.url, { capabilities });
  await expect(client.resume(pending)).rejects.toMatchObject({ code: "pending_foreign" });
  await expect(client.restart(pending)).rejects.toMatchObject({ code: "pending_foreign" });
  await client.close();
  expect(other.requests).toEqual([]);
});

describe("a state the server refuses", () => {
  const refusing = (data: unknown) =>
    scripted(({ params }) =>
      params.requestState === undefined
        ? ask({ sure: form("Sure?") }, "s")
        : { error: { code: -32602, message: "Invalid or expired requestState", data } },
    );

  test.each(["expired", "spent"])("as %s is a turn, and restart begins anew", async (reason) => {
    const server = await refusing({ reason });
    const client = await connect(server.url, { capabilities });
    const pending = answered(await begun(server.url), "sure", { action: "accept" });
    const turn = await client.resume(pending);
    expect(turn).toMatchObject({ kind: "refused", reason, pending, error: { rpcCode: -32602 } });
    const again = await client.restart(pending);
    await client.close();
    expect(again.kind).toBe("input_required");
    expect(server.requests.at(-1)?.params).not.toHaveProperty("requestState");
    expect(server.requests.at(-1)?.params).not.toHaveProperty("inputResponses");
    expect(server.requests.at(-1)?.params).toMatchObject({ name: "t", arguments: { a: 1 } });
  });

  test.each([undefined, {}, { reason: "other" }, "expired"])(
    "for a reason that is not told (%j) is the server's error",
    async (data) => {
      const server = await refusing(data);
      const client = await connect(server.url, { capabilities });
      const pending = answered(await begun(server.url), "sure", { action: "accept" });
      await expect(client.resume(pending)).rejects.toMatchObject({ code: "rpc", rpcCode: -32602 });
      await client.close();
    },
  );

  test("is an error of callTool, which never starts over by itself", async () => {
    const server = await refusing({ reason: "expired" });
    const client = await connect(server.url, { answer: { form: () => ({ action: "accept" }) } });
    await expect(client.callTool({ name: "t" })).rejects.toMatchObject({ code: "rpc" });
    await client.close();
    expect(server.requests).toHaveLength(2);
  });

  test("where none was sent is the server's error", async () => {
    const server = await scripted(() => ({
      error: { code: -32602, message: "?", data: { reason: "expired" } },
    }));
    const client = await connect(server.url);
    await expect(client.begin("tools/call", { name: "t" })).rejects.toMatchObject({ code: "rpc" });
    await client.close();
  });
});

describe("what is no pending call", () => {
  test("is refused as such, whatever was done to it, and nothing is sent", async () => {
    const server = await twoQuestions();
    const whole = answered(answered(await begun(server.url), "sure", { action: "accept" }), "why", {
      action: "decline",
    });
    const sent = server.requests.length;
    const client = await connect(server.url, { capabilities });
    const paths = pathsOf(whole);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue(), async (path, value) => {
        const changed = withValue(whole, path, value);
        const outcome = await client
          .resume(changed as typeof whole)
          .catch((error: unknown) => error);
        // Where the change makes no difference to the format, it is a pending call like any other.
        expect(outcome).toSatisfy(
          (o: { code?: string; kind?: string }) =>
            o.kind !== undefined ||
            ["pending_invalid", "pending_foreign", "answer_missing"].includes(o.code ?? ""),
        );
      }),
      { numRuns: 300 },
    );
    await client.close();
    expect(server.requests.length).toBeGreaterThanOrEqual(sent);
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["text", "pending"],
    ["a list", []],
    ["an empty object", {}],
    ["one of a later version", { version: 2 }],
  ])("%s", (_name, value) => {
    expect(() => answered(value as PendingCall, "k", { action: "accept" })).toThrow(
      expect.objectContaining({ code: "pending_invalid" }),
    );
  });

  test("one with a cycle, one that throws, one with an answer nobody asked for, or with what a retry adds", async () => {
    const server = await twoQuestions();
    const pending = await begun(server.url);
    const cycle: Record<string, unknown> = { ...pending };
    cycle["params"] = cycle;
    const hostile = {
      get version(): number {
        throw new Error("boo");
      },
    };
    const unasked = { ...pending, answers: { other: { action: "accept" } } };
    const wrong = { ...pending, answers: { why: { action: "accept", content: { reason: "" } } } };
    const stale = { ...pending, params: { ...pending.params, requestState: "another" } };
    const filled = { ...pending, params: { ...pending.params, inputResponses: {} } };
    for (const value of [cycle, hostile, unasked, wrong, stale, filled]) {
      expect(() => answered(value as PendingCall, "sure", { action: "accept" })).toThrow(
        expect.objectContaining({ code: "pending_invalid" }),
      );
    }
  });
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

function withValue(value: unknown, path: Path, put: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return put;
  return { ...(value as object), [key]: withValue((value as never)[key], rest, put) };
}
