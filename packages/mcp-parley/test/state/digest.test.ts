import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestJson, requestDigest, sha256 } from "../../src/state/digest.js";

const call = (args: unknown, more: object = {}): unknown => ({
  name: "t",
  arguments: args,
  ...more,
});
const digest = (params: unknown, salient?: string[]): string | undefined =>
  requestDigest("tools/call", params, salient);

describe("the digest of a request", () => {
  it("is SHA-256 over the canonical form of method and params, base64url", () => {
    const text = '["tools/call",{"arguments":{"a":1,"b":2},"name":"t"}]';
    const expected = createHash("sha256").update(text).digest("base64url");
    expect(digest(call({ b: 2, a: 1 }))).toBe(expected);
  });

  it("does not depend on the order of members or the spelling of numbers", () => {
    const one: unknown = JSON.parse('{"name":"t","arguments":{"x":100,"y":{"p":0,"q":[1.50]}}}');
    const other: unknown = JSON.parse(
      '{"arguments":{"y":{"q":[15e-1],"p":-0},"x":1e2},"name":"t"}',
    );
    expect(digest(one)).toBe(digest(other));
  });

  it("depends on everything else", () => {
    const plain = digest(call({ a: "1" }));
    const others = [
      requestDigest("prompts/get", call({ a: "1" })),
      digest({ name: "u", arguments: { a: "1" } }),
      digest(call({ a: 1 })),
      digest(call({ a: "1 " })),
      digest(call({ b: "1" })),
      digest(call({ a: ["1"] })),
      digest(call({ a: "1", b: null })),
      digest(call({ a: "1" }, { extra: true })),
      digest({ name: "t" }),
      digest(undefined),
    ];
    expect(new Set([plain, ...others]).size).toBe(others.length + 1);
    // Composed and decomposed letters are different texts.
    expect(digest(call("é"))).not.toBe(digest(call("e\u0301")));
  });

  it("is the same in every round of a flow", () => {
    const first = digest(call({ a: 1 }, { _meta: { progressToken: 1 } }));
    const retry = call({ a: 1 }, { _meta: {}, inputResponses: { k: {} }, requestState: "s" });
    expect(digest(retry)).toBe(first);
    expect(digest(call({ a: 1 }))).toBe(first);
  });

  it("covers members of these names further inside", () => {
    expect(digest(call({ requestState: "x" }))).not.toBe(digest(call({ requestState: "y" })));
    expect(digest(call({ _meta: 1 }))).not.toBe(digest(call({})));
  });

  it("covers only the salient arguments where a tool names them", () => {
    const salient = ["branch"];
    const one = digest(call({ branch: "b", note: 1 }), salient);
    expect(digest(call({ branch: "b", note: 2, more: [] }), salient)).toBe(one);
    expect(digest(call({ branch: "c", note: 1 }), salient)).not.toBe(one);
    expect(digest(call({ note: 1 }), salient)).not.toBe(one);
    expect(digest({ name: "u", arguments: { branch: "b" } }, salient)).not.toBe(one);
    // Arguments that are no object count whole.
    expect(digest(call([1]), salient)).not.toBe(digest(call([2]), salient));
  });

  it("takes own arguments only, whatever their names", () => {
    const salient = ["__proto__", "constructor", "toString"];
    const own: unknown = JSON.parse('{"__proto__":{"a":1}}');
    const other: unknown = JSON.parse('{"__proto__":{"a":2}}');
    expect(digest(call(own), salient)).not.toBe(digest(call(other), salient));
    expect(digest(call({}), salient)).toBe(digest(call({ x: 1 }), salient));
    const params = JSON.parse('{"name":"t","__proto__":{"a":1}}') as unknown;
    expect(digest(params)).not.toBe(digest({ name: "t" }));
  });

  it("is missing for params without a canonical form, and for nothing else", () => {
    expect(digest(call("\ud800"))).toBeUndefined();
    expect(requestDigest("\ud800", {})).toBeUndefined();
    const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    // `params` is the first level.
    expect(digest(call(deep(31)))).toBeDefined();
    expect(digest(call(deep(32)))).toBeUndefined();
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(digest(call(JSON.parse(text)))).toMatch(/^[A-Za-z0-9_-]{43}$/);
      }),
    );
  });

  it("has siblings for any text and any JSON", () => {
    expect(sha256("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    expect(digestJson({ b: 1, a: 2 })).toBe(sha256('{"a":2,"b":1}'));
    expect(digestJson(undefined)).toBeUndefined();
  });
});
