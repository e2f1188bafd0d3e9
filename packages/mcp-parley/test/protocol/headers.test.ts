import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHeaderValue, encodeHeaderValue, paramText } from "../../src/protocol/headers.js";

describe("header values", () => {
  it.each([
    ["us-west1", "us-west1"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["", ""],
    ["a b  c", "a b  c"],
    ["a\tb", "=?base64?YQli?="],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="],
    ["=?base64?SGVsbG8=", "=?base64?SGVsbG8="],
    ["=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="],
  ])("writes %j as %j and reads it back", (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(value);
  });

  it("survives the way, whatever the value, in characters a header may have", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary-ascii" }),
      fc.string().map((inner) => `=?base64?${inner}?=`),
    );
    fc.assert(
      fc.property(value, (text) => {
        const header = encodeHeaderValue(text);
        expect(header).toMatch(/^(?:[!-~](?:[ -~]*[!-~])?)?$/);
        expect(decodeHeaderValue(header)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["=?base64?SGVsbG8=?=", "Hello"],
    ["=?base64?SGVsbG8?=", undefined],
    ["=?base64?SGVs!!!bG8=?=", undefined],
    ["=?base64?SGVsbG8==?=", undefined],
    ["=?base64?SGVs bG8=?=", undefined],
    ["=?base64?SGVsbG9=?=", undefined],
    ["=?base64?_-8=?=", undefined],
    ["=?base64?/w==?=", undefined],
    ["=?base64?7aCA?=", undefined],
    ["=?base64??=", ""],
    ["SGVsbG8=", "SGVsbG8="],
    ["=?base64?SGVsbG8=", "=?base64?SGVsbG8="],
    ["tab\tinside", "tab\tinside"],
    ["caf\u00e9", undefined],
    ["nul\u0000", undefined],
    ["line\r\nMcp-Name: x", undefined],
    ["=?base64?77u/YQ==?=", "\ufeffa"],
  ])("reads %j as %j", (header, value) => {
    expect(decodeHeaderValue(header)).toBe(value);
  });

  it("never throws, and reads back exactly what it could have written or a plain value", () => {
    const header = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.base64String().map((inner) => `=?base64?${inner}?=`),
      fc.string().map((inner) => `=?base64?${inner}?=`),
    );
    fc.assert(
      fc.property(header, (text) => {
        const value = decodeHeaderValue(text);
        if (value === undefined || value === text) return;
        expect(`=?base64?${Buffer.from(value).toString("base64")}?=`).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["x", "x"],
    ["", ""],
    [42, "42"],
    [-7, "-7"],
    [true, "true"],
    [false, "false"],
    [1.5, undefined],
    [2 ** 53, undefined],
    [null, undefined],
    [undefined, undefined],
    [{}, undefined],
  ])("mirrors the argument %j as %j", (argument, text) => {
    expect(paramText(argument)).toBe(text);
  });
});
