import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answersTo, readInputRequests, readInputResponses } from "../../src/protocol/input.js";
import type { InputRequest, InputResponse } from "../../src/protocol/input.js";
import { almost, anyJson, ODD_NAMES } from "./arbitrary.js";
import { sample } from "./samples.js";

const of = (text: string): unknown => JSON.parse(text);
const text = { type: "text", text: "Hello" };
const said = { role: "assistant", content: text, model: "m" };
const one = (value: unknown): ReturnType<typeof readInputResponses> =>
  readInputResponses({ a: value });
const ask = (value: unknown): ReturnType<typeof readInputRequests> =>
  readInputRequests({ a: value });

describe("readInputResponses", () => {
  it("reads the revision's examples", () => {
    const read = readInputResponses(sample("input-responses"));
    expect(read.ok && [...read.responses.keys()]).toEqual(["github_login", "capital_of_france"]);
    expect(one(sample("sampling-tool-use-result"))).toMatchObject({ ok: true });
  });

  it.each([
    { action: "accept" },
    { action: "decline" },
    { action: "cancel", content: {} },
    { action: "accept", content: { s: "", n: -1.5, b: false, l: ["a", "b"], e: [] } },
    { action: "accept", content: of('{"__proto__":"x"}') },
    { action: "accept", _meta: {}, more: 1 },
    said,
    { ...said, stopReason: "endTurn", content: [] },
    { ...said, content: { type: "image", data: "", mimeType: "image/png" } },
    { ...said, content: { type: "tool_use", id: "1", name: "n", input: {} } },
    { ...said, content: [{ type: "tool_result", toolUseId: "1", content: [text] }] },
    { roots: [] },
    { roots: [{ uri: "file:///a", name: "A" }, { uri: "file:///b" }] },
  ])("takes %j", (response) => {
    const read = one(response);
    expect(read).toStrictEqual({ ok: true, responses: new Map([["a", response]]) });
  });

  it.each([
    7,
    null,
    "accept",
    [],
    {},
    { content: {} },
    { action: "yes" },
    { action: null },
    { action: "accept", content: 7 },
    { action: "accept", content: null },
    { action: "accept", content: [] },
    { action: "accept", content: { x: null } },
    { action: "accept", content: { x: {} } },
    { action: "accept", content: { x: [1] } },
    { action: "decline", content: "no" },
    { role: "system", content: text, model: "m" },
    { role: "assistant", content: text },
    { role: "assistant", model: "m" },
    { role: "assistant", content: "Hello", model: "m" },
    { role: "assistant", content: [text, 7], model: "m" },
    { role: "assistant", content: { type: "text" }, model: "m" },
    { role: "assistant", content: { type: "video" }, model: "m" },
    { role: "assistant", content: { type: "tool_use", id: "1", name: "n" }, model: "m" },
    { role: "assistant", content: { type: "tool_result", toolUseId: "1" }, model: "m" },
    { ...said, stopReason: 1 },
    { roots: {} },
    { roots: [7] },
    { roots: [{}] },
    { roots: [{ uri: "https://example.com/" }] },
    { roots: [{ uri: "file:///a", name: 7 }] },
    { result: { action: "accept" } },
  ])("refuses %j, and says which it was", (response) => {
    expect(readInputResponses({ good: { action: "decline" }, bad: response })).toMatchObject({
      ok: false,
      key: "bad",
    });
  });

  it.each([null, undefined, [], "x", 7, true])("refuses %j for the map", (map) => {
    expect(readInputResponses(map)).toMatchObject({ ok: false, key: undefined });
  });

  it("takes any key for a key", () => {
    const members = ODD_NAMES.map((name) => `${JSON.stringify(name)}:{"action":"decline"}`);
    const read = readInputResponses(of(`{${members.join(",")}}`));
    expect(read.ok && [...read.responses.keys()].sort()).toEqual([...ODD_NAMES].sort());
  });

  it("bounds the number of entries", () => {
    const map = (size: number): unknown =>
      Object.fromEntries(Array.from({ length: size }, (_, n) => [n, { action: "accept" }]));
    expect(readInputResponses(map(64)).ok).toBe(true);
    expect(readInputResponses(map(65))).toMatchObject({ ok: false, key: undefined });
    expect(readInputResponses(map(3), { maxEntries: 2 }).ok).toBe(false);
  });

  it("never throws, and what it takes is of exactly one kind", () => {
    const response = fc.oneof(
      almost({ action: fc.constantFrom("accept", "decline"), content: almost({ x: fc.string() }) }),
      almost({
        role: fc.constant("assistant"),
        content: almost({ type: fc.constantFrom("text", "image", "tool_use"), text: fc.string() }),
        model: fc.string(),
      }),
      almost({ roots: fc.array(almost({ uri: fc.constant("file:///a"), name: fc.string() })) }),
      anyJson,
    );
    const requests = [form, link, sampling, roots];
    let taken = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...ODD_NAMES), response, { maxKeys: 2 }), (map) => {
        const read = readInputResponses(of(JSON.stringify(map)));
        if (!read.ok) return;
        for (const entry of read.responses.values()) {
          taken++;
          const methods = requests.filter((r) => answersTo(r, entry)).map((r) => r.method);
          expect(new Set(methods).size).toBe(1);
        }
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(10);
  });
});

const form: InputRequest = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
};
const link: InputRequest = {
  method: "elicitation/create",
  params: { mode: "url", message: "?", url: "https://example.com/" },
};
const sampling: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [], maxTokens: 1 },
};
const roots: InputRequest = { method: "roots/list" };

describe("answersTo", () => {
  const responses: [string, InputResponse][] = [
    ["elicitation/create", { action: "accept" }],
    ["sampling/createMessage", said as InputResponse],
    ["roots/list", { roots: [] }],
  ];
  it.each([form, link, sampling, roots])("$method wants a result of its own kind", (request) => {
    for (const [method, response] of responses) {
      expect(answersTo(request, response)).toBe(method === request.method);
    }
  });
});

describe("readInputRequests", () => {
  it("reads the revision's examples", () => {
    const read = readInputRequests(sample("input-requests"));
    expect(read.ok && Object.fromEntries(read.requests)).toStrictEqual(sample("input-requests"));
    for (const [name, method] of [
      ["elicit-form-params", "elicitation/create"],
      ["elicit-url-params", "elicitation/create"],
      ["sampling-tool-results-params", "sampling/createMessage"],
    ] as const) {
      expect(ask({ method, params: sample(name) }), name).toMatchObject({ ok: true });
    }
    expect(ask({ method: "roots/list", params: { _meta: {} } })).toMatchObject({ ok: true });
  });

  it("gives forms in the protocol's own words, and everything else as it came", () => {
    const properties = { x: { type: "string", format: "email", pattern: "@" } };
    const params = {
      message: "?",
      requestedSchema: { type: "object", properties, additionalProperties: false },
      _meta: { "a/b": 1 },
    };
    const read = ask({ method: "elicitation/create", params });
    expect(read.ok && read.requests.get("a")).toStrictEqual({
      method: "elicitation/create",
      params: {
        message: "?",
        requestedSchema: { type: "object", properties: { x: { type: "string", format: "email" } } },
        _meta: { "a/b": 1 },
      },
    });
  });

  const elicit = (params: unknown): unknown => ({ method: "elicitation/create", params });
  const create = (params: object): unknown => ({
    method: "sampling/createMessage",
    params: { messages: [], maxTokens: 1, ...params },
  });
  const use = { type: "tool_use", id: "1", name: "n", input: {} };
  const used = { type: "tool_result", toolUseId: "1", content: [text] };
  const schema = { type: "object", properties: {} };

  it.each([
    null,
    7,
    {},
    { method: "tools/call", params: {} },
    { method: "__proto__" },
    { method: "roots/list", params: 7 },
    elicit(undefined),
    elicit({ requestedSchema: schema }),
    elicit({ message: 7, requestedSchema: schema }),
    elicit({ message: "?" }),
    elicit({ message: "?", requestedSchema: { type: "string" } }),
    elicit({ message: "?", requestedSchema: { type: "object", properties: { x: schema } } }),
    elicit({ message: "?", mode: "voice", requestedSchema: schema }),
    elicit({ message: "?", mode: "url" }),
    elicit({ message: "?", mode: "url", url: "not a url" }),
    elicit({ mode: "url", url: "https://example.com/" }),
    { method: "sampling/createMessage" },
    create({ messages: {} }),
    create({ maxTokens: undefined }),
    create({ maxTokens: "1" }),
    create({ messages: [{ role: "user", content: "Hello" }] }),
    create({ messages: [{ role: "user" }] }),
    create({ tools: [{ name: "n" }] }),
    create({ tools: {} }),
    create({ toolChoice: { mode: "always" } }),
    create({ includeContext: "some" }),
    create({ stopSequences: [1] }),
    create({ systemPrompt: 1 }),
    create({ temperature: "hot" }),
    create({ metadata: [] }),
    create({ modelPreferences: 1 }),
    create({ messages: [{ role: "user", content: [text, used] }] }),
    create({ messages: [{ role: "user", content: used }] }),
    create({ messages: [{ role: "assistant", content: use }] }),
    create({
      messages: [
        { role: "assistant", content: use },
        { role: "user", content: text },
      ],
    }),
    create({
      messages: [
        { role: "assistant", content: use },
        { role: "user", content: [used, used] },
      ],
    }),
    create({
      messages: [
        { role: "assistant", content: [use, { ...use, id: "2" }] },
        { role: "user", content: used },
      ],
    }),
    create({
      messages: [
        { role: "assistant", content: use },
        { role: "assistant", content: used },
      ],
    }),
  ])("refuses %j, and says which it was", (request) => {
    expect(readInputRequests({ good: roots, bad: request })).toMatchObject({
      ok: false,
      key: "bad",
    });
  });

  it("takes a tool use that is answered at once and completely", () => {
    const messages = [
      { role: "user", content: text },
      { role: "assistant", content: [text, use, { ...use, id: "2" }] },
      { role: "user", content: [{ ...used, toolUseId: "2" }, used] },
      { role: "assistant", content: text },
    ];
    expect(ask(create({ messages }))).toMatchObject({ ok: true });
  });

  it("never throws", () => {
    const field = almost({
      type: fc.constantFrom("string", "array", "number"),
      enum: fc.constant(["a"]),
    });
    const request = fc.oneof(
      almost({
        method: fc.constant("elicitation/create"),
        params: almost({
          message: fc.string(),
          requestedSchema: almost({
            type: fc.constant("object"),
            properties: fc.dictionary(fc.constantFrom(...ODD_NAMES), field),
          }),
        }),
      }),
      almost({
        method: fc.constant("sampling/createMessage"),
        params: almost({
          messages: fc.array(
            almost({
              role: fc.constantFrom("user", "assistant"),
              content: fc.constantFrom(text, use, used, [use], [used]),
            }),
          ),
          maxTokens: fc.nat(),
        }),
      }),
      anyJson,
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...ODD_NAMES), request, { maxKeys: 2 }), (map) => {
        if (readInputRequests(of(JSON.stringify(map))).ok) taken++;
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(10);
  });
});
