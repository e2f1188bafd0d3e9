import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { NotLinear, linearPattern } from "../../../src/flow/json-schema/pattern.js";
import { Overspent, Work } from "../../../src/flow/json-schema/work.js";

function linear(source: string, steps = 10_000_000): (text: string) => boolean {
  const work = new Work();
  work.allow(steps);
  const pattern = linearPattern(source, work);
  return (text) => pattern.test(text);
}

/** Expressions with everything a linear matcher can do, small enough for any matcher. */
const { source } = fc.letrec<{ source: string; one: string }>((tie) => ({
  one: fc.constantFrom(
    ...["a", "b", "1", " ", ".", "😀", "é", "\\d", "\\W", "\\s", "\\w", "[ab]", "[^a]", "[\\]b-]"],
    ...[
      "\\u0061",
      "\\u{1F600}",
      "\\ud83d\\ude00",
      "\\x62",
      "\\p{L}",
      "\\P{Lu}",
      "\\.",
      "\\-",
      "\\n",
    ].filter((each) => each !== "\\-"),
    ...["\\t", "\\cJ", "\\0", "[\\d\\s]", "[^\\p{L}]", "[😀-😂]", "[\\b]", "\\/", "[\\-a]"],
  ),
  source: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie("one"),
    fc.constantFrom("^", "$", "\\b", ""),
    fc.tuple(tie("source"), tie("source")).map(([a, b]) => a + b),
    fc.tuple(tie("source"), tie("source")).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie("source"), tie("source")).map(([a, b]) => `${a}|${b}`),
    fc
      .tuple(tie("source"), fc.constantFrom("*", "+", "?", "*?", "{2}", "{1,}", "{0,2}", "{1,3}?"))
      .map(([a, times]) => `(${a})${times}`),
    fc
      .tuple(tie("one"), fc.constantFrom("*", "+", "?", "{0}", "{2,}"))
      .map(([a, times]) => `(?<n>${a}${times})`),
  ),
}));

const text = fc.string({
  unit: fc.constantFrom("a", "b", "A", "1", " ", "-", "]", ".", "\n", "é", "😀", "😁", "\ud83d"),
  maxLength: 8,
});

test("matches what the language's own expressions match", () => {
  let compared = 0;
  fc.assert(
    fc.property(source, fc.array(text, { minLength: 1, maxLength: 6 }), (pattern, texts) => {
      let own: RegExp;
      try {
        own = new RegExp(pattern, "u");
      } catch {
        // such as a group's name used twice
        expect(() => linear(pattern)).toThrow(SyntaxError);
        return;
      }
      let matches: (text: string) => boolean;
      try {
        matches = linear(pattern);
      } catch (error) {
        // Better refused than read otherwise, such as a backspace in a class.
        expect(error).toBeInstanceOf(NotLinear);
        return;
      }
      for (const each of texts) {
        compared += 1;
        expect(matches(each), `/${pattern}/u on ${JSON.stringify(each)}`).toBe(own.test(each));
      }
    }),
    { numRuns: 800 },
  );
  expect(compared).toBeGreaterThan(400);
});

// On text beyond the basic plane V8 also looks for this one inside of characters.
it.each(["", "a", "ab", "a b", "  ", "-a-", "a1é"])("\\B holds where it should in %j", (each) => {
  for (const pattern of ["\\B", "^\\B", "\\B$", "\\Ba", "a\\B", "(?:\\B.)+$"]) {
    expect(linear(pattern)(each), pattern).toBe(new RegExp(pattern, "u").test(each));
  }
});

describe("texts that make others take for ever", () => {
  it.each([
    ["^(a+)+$", "a".repeat(50_000) + "!"],
    ["^(a|a)*$", "a".repeat(50_000) + "!"],
    ["^(?:.*)*x$", "a".repeat(50_000)],
    ["(\\s+)+\\S$", " ".repeat(50_000)],
    ["^([a-z]+)*\\d$", "z".repeat(50_000)],
  ])("/%s/ is told in time", (pattern, hostile) => {
    expect(linear(pattern)(hostile)).toBe(false);
  });

  it("stops when the work is used up", () => {
    expect(() => linear("^(a?){50}b", 10_000)("a".repeat(50_000))).toThrow(Overspent);
  });
});

describe("what can't be had in linear time", () => {
  it.each(["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>"])(
    "/%s/ is refused",
    (pattern) => {
      expect(() => linear(pattern)).toThrow(NotLinear);
    },
  );

  it.each(["(a{1,100}){1,100}", "a{100000}", "((a{50}){50}){50}"])(
    "/%s/ is refused for repeating too often",
    (pattern) => {
      expect(() => linear(pattern)).toThrow("repeats too often");
    },
  );

  it.each(["(", "[", "a{2,1}", "\\", "*"])("/%s/ is no expression", (pattern) => {
    expect(() => linear(pattern)).toThrow(SyntaxError);
  });
});
