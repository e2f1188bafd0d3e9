import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeHeaderValue, paramText } from "../../src/protocol/headers.js";
import { argumentAt, paramHeaders, unmirrored } from "../../src/protocol/param-headers.js";

const text = (header: unknown): object => ({ type: "string", "x-mcp-header": header });
const schema = (properties: object, rest: object = {}): object => ({
  type: "object",
  properties,
  ...rest,
});

describe("what a schema mirrors", () => {
  it("is found by properties alone, however deep", () => {
    const found = paramHeaders(
      schema({
        region: text("Region"),
        where: schema({ zone: { type: "integer", "x-mcp-header": "Zone" } }),
      }),
    );
    expect(found).toEqual({
      ok: true,
      headers: [
        { header: "Mcp-Param-Region", path: ["region"] },
        { header: "Mcp-Param-Zone", path: ["where", "zone"] },
      ],
    });
  });

  it.each<[string, object]>([
    ["an empty name", schema({ a: text("") })],
    ["a name with a space", schema({ a: text("a b") })],
    ["a name with a colon", schema({ a: text("a:b") })],
    ["a name with a line break", schema({ a: text("a\r\nb") })],
    ["a name that is not ASCII", schema({ a: text("ä") })],
    ["a name that is no text", schema({ a: text(7) })],
    ["a name twice", schema({ a: text("X"), b: text("X") })],
    ["a name twice in another case", schema({ a: text("X"), b: text("x") })],
    ["a number", schema({ a: { type: "number", "x-mcp-header": "X" } })],
    ["an object", schema({ a: { type: "object", "x-mcp-header": "X" } })],
    ["an array", schema({ a: { type: "array", "x-mcp-header": "X" } })],
    ["null", schema({ a: { type: "null", "x-mcp-header": "X" } })],
    ["no type", schema({ a: { "x-mcp-header": "X" } })],
    ["the root", { ...schema({}), "x-mcp-header": "X" }],
    ["items", schema({ a: { type: "array", items: text("X") } })],
    ["allOf", schema({}, { allOf: [schema({ a: text("X") })] })],
    ["if", schema({}, { if: schema({ a: text("X") }) })],
    ["$defs", schema({}, { $defs: { a: text("X") } })],
  ])("makes the tool invalid: %s", (_, given) => {
    expect(paramHeaders(given)).toMatchObject({ ok: false });
  });

  it("never throws, and mirrors nothing without an annotation", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(paramHeaders(value)).toEqual({ ok: true, headers: [] });
      }),
    );
  });
});

describe("holding headers against arguments", () => {
  const headers = [{ header: "Mcp-Param-X", path: ["a", "b"] }];
  const sent = (value: string | null) => () => value;

  it("takes whatever a client of this revision sends, and nothing else", () => {
    const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.boolean(), fc.maxSafeInteger());
    fc.assert(
      fc.property(value, value, (given, other) => {
        const args = { a: { b: given } };
        const written = encodeHeaderValue(String(given));
        expect(unmirrored(headers, args, sent(written))).toBeUndefined();
        fc.pre(paramText(given) !== paramText(other));
        expect(unmirrored(headers, args, sent(encodeHeaderValue(String(other))))).toBe(
          "Mcp-Param-X",
        );
      }),
    );
  });

  it.each<[string, unknown, string | null]>([
    ["a value without a header", { a: { b: "x" } }, null],
    ["a header without a value", { a: {} }, "x"],
    ["a header for null", { a: { b: null } }, "null"],
    ["bad padding", { a: { b: "Hello" } }, "=?base64?SGVsbG8?="],
    ["a bad alphabet", { a: { b: "Hello" } }, "=?base64?SGVs!!!bG8=?="],
    ["an empty header for 0", { a: { b: 0 } }, ""],
  ])("refuses %s", (_, args, header) => {
    expect(unmirrored(headers, args, sent(header))).toBe("Mcp-Param-X");
  });

  it.each<[string, unknown, string | null]>([
    ["no value and no header", {}, null],
    ["null and no header", { a: { b: null } }, null],
    ["base64", { a: { b: "Hello" } }, "=?base64?SGVsbG8=?="],
    ["what only looks like base64", { a: { b: "SGVsbG8=" } }, "SGVsbG8="],
    ["a marker without its end", { a: { b: "=?base64?SGVsbG8=" } }, "=?base64?SGVsbG8="],
    ["a whole number written otherwise", { a: { b: 42 } }, "42.0"],
  ])("takes %s", (_, args, header) => {
    expect(unmirrored(headers, args, sent(header))).toBeUndefined();
  });

  it("finds own members alone", () => {
    expect(argumentAt({}, ["constructor", "name"])).toBeUndefined();
    expect(argumentAt(JSON.parse('{"__proto__":{"b":1}}'), ["__proto__", "b"])).toBe(1);
  });
});
