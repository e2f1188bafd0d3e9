import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INVALID_REQUEST, PARSE_ERROR } from "../../src/protocol/codes.js";
import { parseBytes, parseJson } from "../../src/protocol/parse.js";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** JSON text together with what is known of it from how it was made. */
interface Made {
  readonly text: string;
  readonly hasDuplicate: boolean;
}

// Names and texts that a scan could take for structure, each written in more than one way.
const literal = fc
  .tuple(
    fc.constantFrom("a", "id", "__proto__", "", "0", '"', "\\", '\\"', ":", '":', "{", "é", "😀"),
    fc.boolean(),
  )
  .map(([value, escaped]) =>
    escaped ? `"${value.replace(/[^]/g, escape)}"` : JSON.stringify(value),
  );

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const space = fc.constantFrom("", "", " ", "\n", "\t\r ");

const { json } = fc.letrec<{ json: Made; object: Made; array: Made; leaf: Made }>((tie) => ({
  leaf: fc
    .oneof(literal, fc.constantFrom("0", "-1.5e3", "true", "false", "null"))
    .map((text) => ({ text, hasDuplicate: false })),
  array: fc.array(fc.tuple(space, tie("json")), { maxLength: 4 }).map((items) => ({
    text: `[${items.map(([gap, item]) => gap + item.text + gap).join(",")}]`,
    hasDuplicate: items.some(([, item]) => item.hasDuplicate),
  })),
  object: fc
    .array(fc.tuple(space, literal, space, tie("json")), { maxLength: 4 })
    .map((members) => ({
      text: `{${members.map(([gap, name, tight, value]) => `${gap}${name}${tight}:${gap}${value.text}`).join(",")}}`,
      hasDuplicate:
        members.some(([, , , value]) => value.hasDuplicate) ||
        new Set(members.map(([, name]): unknown => JSON.parse(name))).size < members.length,
    })),
  json: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("array"), tie("object")),
}));

describe("parseJson", () => {
  it("gives what JSON.parse gives, unless a member occurs twice", () => {
    const seen = { duplicate: 0, sound: 0 };
    fc.assert(
      fc.property(json, ({ text, hasDuplicate }) => {
        const parsed = parseJson(text);
        if (hasDuplicate) {
          seen.duplicate++;
          expect(parsed).toMatchObject({ ok: false, code: INVALID_REQUEST });
        } else {
          seen.sound++;
          expect(parsed).toStrictEqual({ ok: true, value: JSON.parse(text) as unknown });
        }
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.duplicate, seen.sound)).toBeGreaterThan(100);
  });

  it("never throws, and agrees with JSON.parse on what is JSON", () => {
    const damaged = fc
      .tuple(json, fc.nat(), fc.string({ maxLength: 2 }))
      .map(([made, at, extra]) => {
        const cut = at % (made.text.length + 1);
        return made.text.slice(0, cut) + extra + made.text.slice(cut + 1);
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string({ unit: "binary" }), fc.json()), (text) => {
        const parsed = parseJson(text);
        const isJson = (() => {
          try {
            JSON.parse(text);
            return true;
          } catch {
            return false;
          }
        })();
        expect(parsed.ok || parsed.code !== PARSE_ERROR).toBe(isJson);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["the same name twice", '{"id":7,"a":1,"a":2}'],
    ["one of them escaped", String.raw`{"id":7,"a":1,"\u0061":2}`],
    ["__proto__ twice", '{"id":7,"__proto__":{},"__proto__":{}}'],
    ["deep inside", '{"id":7,"p":[{"x":{"accept":0,"accept":1}}]}'],
    ["in a member that a later one replaces", '{"id":7,"p":{"q":1},"p":2}'],
    ["beside colons in strings", '{"id":7,"a":":::","b":"\\":","a":1}'],
  ])("refuses a duplicate member: %s", (_, text) => {
    expect(parseJson(text)).toStrictEqual({
      ok: false,
      code: INVALID_REQUEST,
      why: "A member occurs twice in its object",
      id: 7,
    });
  });

  it("takes a single __proto__ for a member like any other", () => {
    const parsed = parseJson('{"__proto__":{"polluted":true},"a":{"__proto__":null}}');
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(["__proto__", "a"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['{"id":"x","a":1,"a":2}', "x"],
    ['{"a":1,"a":2,"params":{"id":1},"id":"y"}', "y"],
    ['{"a":{"id":1},"a":{"id":2},"id":3}', 3],
    ['{"id":1,"id":2}', undefined],
    [String.raw`{"id":1,"\u0069d":1}`, undefined],
    ['{"id":null,"a":1,"a":2}', undefined],
    ['{"id":1.5,"a":1,"a":2}', undefined],
    ['[{"id":1,"id":2}]', undefined],
    ['{"a":"id","a":":","id" : 4}', 4],
  ])("gives the id where there is exactly one: %s", (text, id) => {
    expect(parseJson(text)).toMatchObject({ ok: false, id });
  });

  const nested = (levels: number): string => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);

  it("bounds nesting", () => {
    expect(parseJson(nested(64)).ok).toBe(true);
    expect(parseJson(nested(65))).toMatchObject({ ok: false, code: INVALID_REQUEST });
    expect(parseJson("[".repeat(64) + "]".repeat(64)).ok).toBe(true);
    expect(parseJson(nested(3), { maxDepth: 2 }).ok).toBe(false);
    expect(parseJson(nested(2), { maxDepth: 2 }).ok).toBe(true);
    expect(parseJson("1", { maxDepth: 0 }).ok).toBe(true);
    expect(parseJson(`{"id":5,"a":${nested(65)}}`)).toMatchObject({ id: 5 });
  });

  it("does not run out of stack on nesting without end, whatever the limit", () => {
    const text = "[".repeat(200_000) + "]".repeat(200_000);
    expect(parseJson(text, { maxDepth: Infinity })).toMatchObject({ ok: false });
  });

  it.each([
    ["escaped", String.raw`{"id":1,"a":"\ud800"}`],
    ["escaped in capitals", String.raw`{"id":1,"a":["\uDC00\uD800"]}`],
    ["as it is", '{"id":1,"a":"\ud800"}'],
    ["in a name", String.raw`{"id":1,"p":{"\udfff":1}}`],
  ])("refuses a lone surrogate, %s", (_, text) => {
    expect(parseJson(text)).toMatchObject({ ok: false, code: INVALID_REQUEST, id: 1 });
    expect(parseJson(text, { loneSurrogates: true })).toEqual({
      ok: true,
      value: JSON.parse(text) as unknown,
    });
  });

  it("takes pairs of surrogates, however they are written", () => {
    expect(parseJson(String.raw`{"\ud83d\ude00":"\uD83D\uDE00 😀 \\ud800"}`)).toStrictEqual({
      ok: true,
      value: { "😀": "😀 😀 \\ud800" },
    });
  });

  it("refuses a number that no double holds", () => {
    expect(parseJson('{"id":1,"a":[1e999]}')).toMatchObject({ ok: false, code: INVALID_REQUEST });
    expect(parseJson('{"a":1e308}').ok).toBe(true);
  });
});

describe("parseBytes", () => {
  it("reads UTF-8", () => {
    expect(parseBytes(utf8('{"a":"żółw 😀"}'))).toStrictEqual({
      ok: true,
      value: { a: "żółw 😀" },
    });
  });

  it.each([
    ["a stray byte", [0x22, 0xff, 0x22]],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22]],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a cut sequence", [0x22, 0xe2, 0x82]],
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x31]],
    ["UTF-16", [0x31, 0x00]],
    ["nothing", []],
  ])("refuses %s", (_, bytes) => {
    expect(parseBytes(Uint8Array.from(bytes))).toMatchObject({ ok: false, code: PARSE_ERROR });
  });
});
