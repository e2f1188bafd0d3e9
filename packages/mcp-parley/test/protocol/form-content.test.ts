import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FormContent, FormSchema, PrimitiveSchema } from "../../src/protocol/elicitation.js";
import { fillDefaults, validateContent } from "../../src/protocol/form.js";
import { anyJson, ODD_NAMES } from "./arbitrary.js";
import { sample } from "./samples.js";

const form = (x: PrimitiveSchema, required: string[] = []): FormSchema => ({
  type: "object",
  properties: { x },
  required,
});
const text = (more: object): PrimitiveSchema => ({ type: "string", ...more });
const titled = [
  { const: "a", title: "A" },
  { const: "b", title: "B" },
];
const several: PrimitiveSchema = {
  type: "array",
  items: { type: "string", enum: ["a", "b", "c"] },
};

describe("validateContent", () => {
  it.each<[PrimitiveSchema, unknown[], unknown[]]>([
    [text({}), ["", "x"], [7, null, true, [], {}]],
    [
      text({ minLength: 2, maxLength: 3 }),
      ["ab", "abc", "😀😀", "😀😀😀"],
      ["a", "abcd", "😀", "😀😀😀😀"],
    ],
    [text({ maxLength: 0 }), [""], ["a", "😀"]],
    [text({ format: "email" }), ["a@b.c"], ["a", ""]],
    [text({ enum: ["a", "b"] }), ["a", "b"], ["", "c", "A", 0, ["a"]]],
    [text({ oneOf: titled }), ["a", "b"], ["A", "toString", null]],
    [text({ enum: ["a"], enumNames: ["A"] }), ["a"], ["A"]],
    [{ type: "number" }, [0, -1.5, 1e300], ["0", null, true, NaN, Infinity]],
    [{ type: "number", minimum: 0.5, maximum: 1 }, [0.5, 1], [0.4, 1.1]],
    [{ type: "integer" }, [0, -3, 2 ** 53 - 1], [0.5, 2 ** 53, "1"]],
    [{ type: "integer", minimum: 1, maximum: 2 }, [1, 2], [0, 3]],
    [{ type: "boolean" }, [true, false], ["true", 0, 1, null]],
    [several, [[], ["a"], ["c", "a"]], ["a", ["d"], [1], [null], {}, ["a", "a"]]],
    [{ ...several, minItems: 1, maxItems: 2 }, [["a"], ["a", "b"]], [[], ["a", "b", "c"]]],
    [{ type: "array", items: { anyOf: titled } }, [["a"], ["b", "a"]], [["A"], ["a", "c"]]],
  ])("holds a value against %j", (schema, right, wrong) => {
    for (const x of right) {
      expect(validateContent(form(schema), { x })).toStrictEqual({ ok: true, content: { x } });
    }
    for (const x of wrong) {
      expect(validateContent(form(schema), { x }), JSON.stringify(x)).toMatchObject({
        ok: false,
        issues: [{ field: "x" }],
      });
    }
  });

  it("wants what is required, and nothing else", () => {
    const schema = form(text({}), ["x"]);
    const missing = { ok: false, issues: [{ field: "x", why: "is required" }] };
    expect(validateContent(schema, {})).toStrictEqual(missing);
    expect(validateContent(schema, undefined)).toStrictEqual(missing);
    expect(validateContent(schema, Object.create({ x: "inherited" }))).toStrictEqual(missing);
    expect(validateContent(form(text({})), {})).toStrictEqual({ ok: true, content: {} });
    expect(validateContent(form(text({})), undefined)).toStrictEqual({ ok: true, content: {} });
  });

  it.each([null, 7, "x", [], true])("refuses %j for content", (content) => {
    expect(validateContent(form(text({})), content)).toStrictEqual({
      ok: false,
      issues: [{ field: undefined, why: "has to be an object" }],
    });
  });

  it("names every field that is wrong", () => {
    const schema: FormSchema = {
      type: "object",
      properties: { a: text({}), b: { type: "boolean" }, c: text({ format: "date" }) },
      required: ["a"],
    };
    expect(validateContent(schema, { b: "yes", c: "today" })).toStrictEqual({
      ok: false,
      issues: [
        { field: "a", why: "is required" },
        { field: "b", why: "has to be true or false" },
        { field: "c", why: "has to be a date, such as 2026-07-28" },
      ],
    });
  });

  it("leaves out what the schema does not know, __proto__ among it", () => {
    const content: unknown = JSON.parse('{"x":"a","y":1,"__proto__":{"x":"b","admin":true}}');
    const checked = validateContent(form(text({})), content);
    expect(checked).toStrictEqual({ ok: true, content: { x: "a" } });
    expect((checked.ok && checked.content)["admin" as never]).toBeUndefined();
  });

  it("reads a field named __proto__ as it reads any other", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    ) as FormSchema;
    const content: unknown = JSON.parse('{"__proto__":"x"}');
    expect(JSON.stringify(validateContent(schema, content))).toBe(
      '{"ok":true,"content":{"__proto__":"x"}}',
    );
    expect(validateContent(schema, {}).ok).toBe(false);
  });

  it("never throws, and agrees with a JSON Schema validator", () => {
    const schema = sample("form-schema") as unknown as FormSchema;
    // a second implementation, without formats, which have tests of their own
    const properties = Object.entries(schema.properties).map(([name, rules]) => [
      name,
      rules.type === "array" ? { ...rules, uniqueItems: true } : rules,
    ]);
    const validate = new Ajv2020({ validateFormats: false }).compile({
      type: "object",
      properties: Object.fromEntries(properties) as object,
    });
    const value = fc.oneof(
      fc.constantFrom(
        "Red",
        "Green",
        "#FF0000",
        "user@example.com",
        ["Red"],
        ["#FF0000", "#00FF00"],
      ),
      fc.constantFrom(0, 50, 100, 101, -1, true, false, ["Red", "Red"], []),
      anyJson,
    );
    const content = fc.dictionary(
      fc.constantFrom(...Object.keys(schema.properties), ...ODD_NAMES),
      value,
      { maxKeys: 3 },
    );
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(
        fc.oneof({ weight: 9, arbitrary: content }, { weight: 1, arbitrary: anyJson }),
        (given) => {
          const parsed: unknown = JSON.parse(JSON.stringify(given));
          const checked = validateContent(schema, parsed);
          const emailFits = checked.ok || !checked.issues.every(({ why }) => why.includes("email"));
          if (emailFits) expect(checked.ok).toBe(validate(parsed));
          seen[checked.ok ? "right" : "wrong"]++;
          if (!checked.ok) return;
          expect(validateContent(schema, checked.content)).toStrictEqual(checked);
        },
      ),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(50);
  });
});

describe("fillDefaults", () => {
  const schema: FormSchema = {
    type: "object",
    properties: {
      name: text({ default: "Joe" }),
      sure: { type: "boolean", default: false },
      some: { ...several, default: ["a"] },
      note: text({}),
    },
  };

  it("fills in what is not answered, and nothing else", () => {
    expect(fillDefaults(schema, {})).toStrictEqual({ name: "Joe", sure: false, some: ["a"] });
    const answered: FormContent = { name: "", sure: true, some: [], note: "n", other: 1 };
    expect(fillDefaults(schema, answered)).toStrictEqual(answered);
  });

  it("gives content of its own", () => {
    const filled = fillDefaults(schema, {});
    (filled["some"] as string[]).push("b");
    expect(fillDefaults(schema, {})["some"]).toEqual(["a"]);
  });
});
