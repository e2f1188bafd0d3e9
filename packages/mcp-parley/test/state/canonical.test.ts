import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, isWellFormed, MAX_DEPTH } from "../../src/state/canonical.js";

const nested = (depth: number, open = "[", close = "]"): unknown =>
  JSON.parse(open.repeat(depth) + (open === "[" ? "" : "0") + close.repeat(depth));

describe("canonical JSON, RFC 8785", () => {
  it("agrees with a second implementation", () => {
    const names = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("__proto__", "", "é", "e\u0301", "\u{10000}", "\uffff"),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "medium", withCrossShrink: true },
        fc.constantFrom(null, true, false, 0, -0, 1e21, 1e-7, 5e-324, 2 ** 53 + 2, 0.1 + 0.2),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: "binary" }),
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(names, tie("value"), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(value, (v) => {
        expect(canonicalJson(v, 1000)).toBe(canonicalize(v));
      }),
      { numRuns: 500 },
    );
  });

  it("writes the RFC's own example", () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it("sorts members by UTF-16 code units, as the RFC's example has it", () => {
    const text = String.raw`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    );
  });

  it("keeps an own member named __proto__", () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1},"b":2}'))).toBe(
      '{"__proto__":{"a":1},"b":2}',
    );
  });

  it.each([
    ["a lone surrogate in a text", "\ud800"],
    ["one in the name of a member", { "\udc00x": 1 }],
    ["one deep inside", { a: [{ b: "x\udfff" }] }],
    ["NaN", Number.NaN],
    ["infinity", { a: -Infinity }],
    ["a function", () => 1],
    ["a bigint", { a: 1n }],
    ["undefined", undefined],
    ["a hole in an array", [1, , 2]],
    ["a date, which would look like any other", { at: new Date(0) }],
    ["a map", new Map([["a", 1]])],
  ])("has none for %s", (_, value) => {
    expect(canonicalJson(value)).toBeUndefined();
  });

  it("leaves out members that are undefined", () => {
    expect(canonicalJson({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
  });

  it("takes objects without a prototype", () => {
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: [] }))).toBe(
      '{"a":[],"b":1}',
    );
  });

  it("refuses what is nested too deep, and does not fall over", () => {
    expect(canonicalJson(nested(MAX_DEPTH))).toBe("[".repeat(MAX_DEPTH) + "]".repeat(MAX_DEPTH));
    expect(canonicalJson(nested(MAX_DEPTH + 1))).toBeUndefined();
    expect(canonicalJson(nested(MAX_DEPTH, '{"a":', "}"))).toBeDefined();
    expect(canonicalJson(nested(MAX_DEPTH + 1, '{"a":', "}"))).toBeUndefined();
    expect(canonicalJson(nested(5000))).toBeUndefined();
  });

  it("tells well-formed text from ill-formed", () => {
    expect(isWellFormed("a😀\u0000")).toBe(true);
    expect(isWellFormed("\ude00\ud83d")).toBe(false);
  });
});
