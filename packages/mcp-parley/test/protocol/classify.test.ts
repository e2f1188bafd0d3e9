import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classify } from "../../src/protocol/classify.js";
import { almost, anyJson } from "./arbitrary.js";
import { sample } from "./samples.js";

const ASKING = ["tools/call", "prompts/get", "resources/read"];
const OTHERS = ["tools/list", "resources/list", "server/discover", "completion/complete", "x"];
const wrap = (result: unknown): unknown => ({ jsonrpc: "2.0", id: 1, result });
const call = (result: unknown, method = "tools/call"): ReturnType<typeof classify> =>
  classify(wrap(result), { method, extensions: new Set(["task", "__proto__"]) });
const requests = { a: { method: "roots/list" } };

describe("classify", () => {
  it.each([...ASKING, ...OTHERS])(
    "takes a result that says complete, or nothing, on %s",
    (method) => {
      for (const result of [{ resultType: "complete", content: [] }, { content: [] }, {}]) {
        expect(call(result, method)).toStrictEqual({ kind: "complete", result });
      }
    },
  );

  it.each(ASKING)("reads the revision's examples of an interim result on %s", (method) => {
    const both = sample("input-required");
    expect(call(both, method)).toStrictEqual({
      kind: "input_required",
      inputRequests: both["inputRequests"],
      requestState: both["requestState"],
      result: both,
    });
    const stateOnly = sample("input-required-state-only");
    expect(call(stateOnly, method)).toStrictEqual({
      kind: "input_required",
      inputRequests: undefined,
      requestState: stateOnly["requestState"],
      result: stateOnly,
    });
  });

  it.each([
    [{ inputRequests: requests }, requests, undefined],
    [{ inputRequests: requests, requestState: "" }, requests, ""],
    [{ requestState: "" }, undefined, ""],
    [{ inputRequests: {}, requestState: " \u0000😀" }, undefined, " \u0000😀"],
    [
      JSON.parse('{"inputRequests":{"__proto__":{"method":"roots/list"}}}'),
      JSON.parse('{"__proto__":{"method":"roots/list"}}'),
      undefined,
    ],
  ])("takes the interim result %j", (members: object, inputRequests: unknown, requestState) => {
    const result = { resultType: "input_required", ...members };
    expect(call(result)).toStrictEqual({
      kind: "input_required",
      inputRequests,
      requestState,
      result,
    });
  });

  it.each([
    {},
    { inputRequests: {} },
    { inputRequests: null, requestState: "s" },
    { inputRequests: [], requestState: "s" },
    { requestState: null },
    { requestState: 7 },
    { inputRequests: requests, requestState: {} },
    { inputRequests: { ...requests, b: { method: "tools/call" } } },
    { inputRequests: { a: 7 }, requestState: "s" },
  ])("finds the interim result %j invalid", (members) => {
    expect(call({ resultType: "input_required", ...members })).toMatchObject({ kind: "invalid" });
  });

  it.each(OTHERS)("finds any interim result invalid on %s", (method) => {
    expect(call(sample("input-required"), method)).toMatchObject({ kind: "invalid" });
    expect(call(sample("input-required-state-only"), method)).toMatchObject({ kind: "invalid" });
  });

  it("takes an extension's result only where the client advertised it", () => {
    const result = { resultType: "task", taskId: "1" };
    expect(call(result)).toStrictEqual({ kind: "extension", resultType: "task", result });
    expect(call(result, "tools/list")).toMatchObject({ kind: "extension" });
    expect(classify(wrap(result), { method: "tools/call" })).toMatchObject({ kind: "invalid" });
  });

  it("lets no extension take a core type's place", () => {
    const extensions = new Set(["complete", "input_required"]);
    expect(
      classify(wrap({ resultType: "input_required" }), { method: "tools/call", extensions }),
    ).toMatchObject({ kind: "invalid" });
  });

  it.each([null, "", "Complete", "toString", "constructor", 7, {}, [], ["complete"], true])(
    "finds the resultType %j invalid",
    (resultType) => {
      expect(call({ resultType, content: [] })).toMatchObject({ kind: "invalid" });
    },
  );

  it("takes __proto__ for a resultType like any other", () => {
    expect(call({ resultType: "__proto__" })).toMatchObject({ kind: "extension" });
    const inherited: unknown = JSON.parse('{"__proto__":{"resultType":"input_required"}}');
    expect(call(inherited)).toMatchObject({ kind: "complete" });
  });

  it.each([
    [{ code: -32602, message: "No" }, undefined],
    [{ code: 1, message: "", data: null }, null],
    [
      { code: -32021, message: "No", data: { requiredCapabilities: {} } },
      { requiredCapabilities: {} },
    ],
  ])("takes the error %j", (error, data) => {
    const { code, message } = error;
    for (const response of [{ jsonrpc: "2.0", id: 1, error }, { error }]) {
      expect(classify(response, { method: "tools/call" })).toStrictEqual({
        kind: "error",
        code,
        message,
        data,
      });
    }
  });

  it.each([
    null,
    7,
    "x",
    [],
    {},
    { result: null },
    { result: [] },
    { result: "complete" },
    { error: null },
    { error: "No" },
    { error: {} },
    { error: { code: "1", message: "No" } },
    { error: { code: 1.5, message: "No" } },
    { error: { code: 1 } },
    { error: { code: 1, message: 7 } },
    { error: { code: 1, message: "No" }, result: {} },
    Object.create({ result: {} }),
  ])("finds %j invalid", (response: unknown) => {
    expect(classify(response, { method: "tools/call" })).toMatchObject({ kind: "invalid" });
  });

  it("says exactly one thing about anything, the same each time, and never throws", () => {
    const result = almost({
      resultType: fc.constantFrom("complete", "input_required", "input_required", "task", "x"),
      inputRequests: fc.constantFrom(requests, {}, sample("input-requests")),
      requestState: fc.string(),
      content: fc.constant([]),
    });
    const response = fc.oneof(
      { weight: 5, arbitrary: result.map(wrap) },
      almost({ result, error: almost({ code: fc.integer(), message: fc.string() }) }),
      anyJson,
    );
    const kinds: Record<string, number> = {};
    fc.assert(
      fc.property(response, fc.constantFrom(...ASKING, ...OTHERS), (value, method) => {
        const options = { method, extensions: new Set(["task"]) };
        const classified = classify(value, options);
        kinds[classified.kind] = (kinds[classified.kind] ?? 0) + 1;
        expect(classify(value, options)).toStrictEqual(classified);
        if (classified.kind !== "input_required") return;
        expect(ASKING).toContain(method);
        expect(classified.inputRequests ?? classified.requestState).toBeDefined();
      }),
      { numRuns: 1000 },
    );
    expect(Object.keys(kinds).sort()).toEqual([
      "complete",
      "error",
      "extension",
      "input_required",
      "invalid",
    ]);
  });
});
