import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoted, stringText } from "../../src/protocol/json.js";

describe("a name from outside in a message", () => {
  it("is one line of what can be seen, and still says which name it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 64 }), (name) => {
        const shown = quoted(name);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(JSON.parse(shown)).toBe(name);
      }),
    );
  });

  it.each([
    ["\u001b[2J", '"\\u001b[2J"'],
    ["\u009b31m", '"\\u009b31m"'],
    ["a\u202eb\u{e0041}", '"a\\u202eb\\udb40\\udc41"'],
    ["Załączniki", '"Załączniki"'],
    ["a".repeat(65), `"${"a".repeat(64)}…"`],
  ])("%j is shown as %s", (name, shown) => {
    expect(quoted(name)).toBe(shown);
  });

  it("is as long as is asked for, and no longer", () => {
    expect(quoted("abcd", 3)).toBe('"abc…"');
    expect(quoted("abc", 3)).toBe('"abc"');
  });
});

it("a text as JSON is what JSON makes of it", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({
      unit: fc.constantFrom("a", "_", " ", "=", "\n", "\u2028", "\ud800", '"', "\\", "/"),
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(stringText(text)).toBe(JSON.stringify(text));
    }),
  );
});
