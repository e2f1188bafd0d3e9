import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText, manyLines, oneLine } from "../src/plain.js";

/** What must never reach a terminal: controls, and what hides or turns text around. */
const ACTING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** Text full of what should not get through. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\u001b[2J",
        "\u001b]8;;http://x\u0007",
        "\u009b31m",
        "\r",
        "\n",
        "\t",
        "\u0000",
      ),
      fc.constantFrom(
        "\u202e",
        "\u2066",
        "\u200b",
        "\u200d",
        "\ufeff",
        "\u{e0041}",
        "\ud800",
        "\u2028",
      ),
    ),
  )
  .map((parts) => parts.join(""));

describe("plain text", () => {
  test("one line holds nothing that acts, and no second line", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const plain = oneLine(text);
        expect(plain).not.toMatch(ACTING);
        expect(plain).not.toMatch(/[\n\t]/);
        expect(plain).not.toMatch(/\p{Cs}/u);
      }),
    );
  });

  test("many lines hold nothing that acts but line breaks and tabs", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(manyLines(text)).not.toMatch(ACTING);
      }),
    );
  });

  test("what is harmless stays as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
        expect(oneLine(text)).toBe(text);
      }),
    );
    expect(oneLine("Grüße, 世界 — ⚠️ नमस्ते")).toBe("Grüße, 世界 — ⚠️ नमस्ते");
    expect(manyLines("a\r\nb\rc\n\td")).toBe("a\nb\nc\n\td");
  });

  test("what acts is written out, so that it can be seen", () => {
    expect(oneLine("a\u001b[31mb\u202ec\u{e0041}")).toBe("a\\x1b[31mb\\u202ec\\u{e0041}");
    expect(oneLine("two\r\nlines\tand a tab")).toBe("two lines and a tab");
  });

  test("the joiners that some scripts need leave no trace", () => {
    expect(oneLine("می\u200cخواهم")).toBe("میخواهم");
  });

  test("JSON is as safe, and reads back as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), hostile, (value, text) => {
        const both = { value, text, [text]: 1 };
        const json = jsonText(both);
        expect(json).not.toMatch(ACTING);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(both)));
      }),
    );
  });

  test("what should be text and is not is shown all the same", () => {
    for (const given of [undefined, null, 7, true, {}, []]) {
      expect(typeof oneLine(given)).toBe("string");
      expect(typeof manyLines(given)).toBe("string");
      expect(typeof jsonText(given)).toBe("string");
    }
    expect(oneLine({ a: "\u001b" })).toBe('{"a":"\\u001b"}');
  });

  test("a long text is cut, and says by how much", () => {
    expect(oneLine("x".repeat(310))).toBe(`${"x".repeat(300)}… (10 more characters)`);
  });
});
