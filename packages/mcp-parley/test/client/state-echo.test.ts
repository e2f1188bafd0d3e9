import { describe, expect, test } from "vitest";
import { connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import { ask, form, scripted, text } from "./scripted.js";
import { connectUndici } from "../support/undici.js";

const ODD_STATES = {
  "a plain token": "v1.abcDEF-_",
  "the empty string": "",
  "a space": " ",
  "spaces around": "  padded  ",
  "a trailing space": "state ",
  "CR and LF": "one\r\ntwo\nthree\r",
  tabs: "\tstate\t",
  NUL: "a\u0000b",
  "other control characters": "\u0001\u001b[31m\u007f\u0085",
  "characters beyond the BMP": "\u{1f9ed}\u{10ffff}",
  "unnormalised Unicode": "e\u0301 \u00e9 \ufb01",
  "line separators": "\u2028\u2029",
  "half a surrogate pair": "\ud83d",
  "a byte order mark": "\ufeffstate",
  "quotes and backslashes": '"\\"/\\u0041'.repeat(100),
  "what looks like JSON": '{"a":1,"a":2, "b" : [ ] }',
  "what looks like base64": "YWJj ZGVm==\n",
  "what looks like a number": "1e400",
  "what looks like null": "null",
  "what looks like a header value": "=?base64?YWJj?=",
  "200 kB": "x".repeat(200_000),
} as const;

describe.each([
  ["node", connect],
  ["undici", connectUndici],
  ["fetch", connectFetch],
])("over %s, the state a server sends comes back as it was", (_transport, open) => {
  test.each(Object.entries(ODD_STATES))("%s", async (_name, state) => {
    const server = await scripted((_request, index) =>
      index === 0 ? ask({ q: form("?") }, state) : text("done"),
    );
    const client = await open(server.url, { answer: { form: () => ({ action: "accept" }) } });
    await client.callTool({ name: "t" });
    await client.close();
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.params.requestState).toBe(state);
  });
});

test("the state of one round is not sent with the next", async () => {
  const states = ["first", undefined, "third"];
  const server = await scripted((_request, index) =>
    index < 3 ? ask({ [`q${index}`]: form("?") }, states[index]) : text("done"),
  );
  const client = await connect(server.url, { answer: { form: () => ({ action: "accept" }) } });
  await client.callTool({ name: "t" });
  await client.close();
  const sent = server.requests.map(({ params }) => [
    "requestState" in params,
    params.requestState,
    Object.keys(params.inputResponses ?? {}),
  ]);
  expect(sent).toEqual([
    [false, undefined, []],
    [true, "first", ["q0"]],
    [false, undefined, ["q1"]],
    [true, "third", ["q2"]],
  ]);
});

test("a state and answers left in the caller's params are not sent, and the params stay as they were", async () => {
  const server = await scripted((_request, index) =>
    index === 0 ? ask({ q: form("?") }) : text("done"),
  );
  const client = await connect(server.url, { answer: { form: () => ({ action: "decline" }) } });
  const params = {
    name: "t",
    arguments: { a: 1 },
    requestState: "stale",
    inputResponses: { old: { action: "accept" } },
    _meta: { "com.example/trace": "kept" },
  };
  const before = structuredClone(params);
  await client.callTool(params);
  await client.close();
  expect(params).toEqual(before);
  const [first, second] = server.requests;
  expect(first?.params).not.toHaveProperty("requestState");
  expect(first?.params).not.toHaveProperty("inputResponses");
  expect(second?.params).not.toHaveProperty("requestState");
  expect(second?.params.inputResponses).toEqual({ q: { action: "decline" } });
  expect(second?.params._meta).toMatchObject({ "com.example/trace": "kept" });
});
