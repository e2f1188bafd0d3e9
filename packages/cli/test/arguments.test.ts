import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readArguments } from "../src/arguments.js";
import { CommandError, EXIT } from "../src/exit.js";

const schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    on: { type: "boolean" },
    maybe: { type: ["string", "null"] },
    id: { anyOf: [{ type: "string" }, { type: "number" }] },
    size: { enum: ["small", "large"] },
    level: { enum: [1, 2] },
    words: { type: "array", items: { type: "string" } },
    numbers: { type: "array", items: { $ref: "#/$defs/number" } },
    filter: { type: "object" },
    linked: { $ref: "#/$defs/number" },
    loop: { $ref: "#/properties/loop" },
    any: {},
  },
  $defs: { number: { type: "number" } },
};

const read = (...words: string[]): Record<string, unknown> => readArguments(words, schema);

/** The usage error that words come to. */
function refused(words: readonly string[], by: Record<string, unknown> = schema): string {
  try {
    readArguments(words, by);
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError);
    expect((error as CommandError).exitCode).toBe(EXIT.usage);
    return (error as CommandError).message;
  }
  throw new Error(`${words.join(" ")} was taken`);
}

describe("arguments", () => {
  test.each([
    ["text=a=b", { text: "a=b" }],
    ["text=", { text: "" }],
    ["text=12", { text: "12" }],
    ["text=true", { text: "true" }],
    ["count=12", { count: 12 }],
    ["ratio=-1.5e3", { ratio: -1500 }],
    ["on=false", { on: false }],
    ["maybe=null", { maybe: null }],
    ["maybe=nil", { maybe: "nil" }],
    ["id=7", { id: 7 }],
    ["id=007", { id: "007" }],
    ["size=large", { size: "large" }],
    ["level=2", { level: 2 }],
    ['filter={"year":2026}', { filter: { year: 2026 } }],
    ["words=one", { words: ["one"] }],
    ['words=["one","two"]', { words: ["one", "two"] }],
    ["numbers=1", { numbers: [1] }],
    ["linked=3", { linked: 3 }],
    ["loop=x", { loop: "x" }],
    ["any=x", { any: "x" }],
    ["any:=[1]", { any: [1] }],
    ["count:=1", { count: 1 }],
    ["text:=null", { text: null }],
    ["other:=1", { other: 1 }],
  ])("%s", (word, expected) => {
    expect(read(word)).toEqual(expected);
  });

  test("a name given several times makes a list", () => {
    expect(read("words=a", "words=b", 'words=["c"]')).toEqual({ words: ["a", "b", "c"] });
  });

  test.each([
    ["count=1.5", /count: "1.5" is not a whole number/],
    ["count=many", /count: "many" is not a whole number/],
    ["count=9007199254740993", /count/],
    ["on=yes", /on: "yes" is not true or false/],
    ["size=medium", /size: "medium" is none of small, large/],
    ["level=3", /level: "3" is none of 1, 2/],
    ["filter={", /filter: \{ is not JSON/],
    ["filter=x", /filter: "x" is not a JSON object/],
    ["numbers=x", /numbers: "x" is not a number/],
    ["text:=x", /text: x is not JSON/],
    ["other=1", /no argument other: it takes text, count/],
    ["text", /"text" is no argument: give name=value/],
    ["=x", /is no argument/],
  ])("%s is refused, and named", (word, message) => {
    expect(refused([word])).toMatch(message);
  });

  test("a name given twice where one value is taken is refused", () => {
    expect(refused(["text=a", "text=b"])).toMatch(/text: is given twice/);
  });

  test("what is required and missing is named, all of it", () => {
    const message = refused(["b=1"], {
      properties: { a: { type: "string" }, b: {}, c: { type: "integer" } },
      required: ["a", "b", "c"],
    });
    expect(message).toMatch(/2 arguments more/);
    expect(message).toMatch(/a=…\s+text/);
    expect(message).toMatch(/c=…\s+a whole number/);
  });

  test("a schema that allows more takes more, as text", () => {
    expect(readArguments(["x=1"], { additionalProperties: true })).toEqual({ x: "1" });
    expect(readArguments([], {})).toEqual({});
  });

  test("names that objects inherit are names like any other", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(refused([`${name}=1`])).toMatch(/no argument/);
      const args = read(`${name}:=1`);
      expect(Object.hasOwn(args, name)).toBe(true);
      expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    }
  });

  test("whatever schema a server sends, an argument is read or refused", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (property, text) => {
        try {
          readArguments([`a=${text}`], { properties: { a: property }, required: property });
        } catch (error) {
          expect(error).toBeInstanceOf(CommandError);
        }
      }),
    );
  });
});
