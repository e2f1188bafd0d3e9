import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkFormSchema } from "../../src/protocol/form.js";
import { almost, anyJson, ODD_NAMES } from "./arbitrary.js";
import { sample } from "./samples.js";

const required = ["x"];
const of = (x: unknown, more: object = { required }): unknown => ({
  type: "object",
  properties: { x },
  ...more,
});

/** The one field of a form, in the protocol's words; or why it cannot be in one. */
function field(schema: unknown): unknown {
  const checked = checkFormSchema(schema);
  return checked.ok ? checked.schema.properties["x"] : `${String(checked.field)}: ${checked.why}`;
}

describe("a form's schema", () => {
  it("stays as it is where it says only what the protocol does", () => {
    const form = sample("form-schema");
    expect(checkFormSchema(form)).toStrictEqual({ ok: true, schema: form });
    const { requestedSchema } = sample("elicit-form-params");
    expect(checkFormSchema(requestedSchema)).toStrictEqual({ ok: true, schema: requestedSchema });
  });

  it("loses what converters add", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "x",
      title: "A form",
      description: "of one field",
      type: "object",
      properties: {
        x: {
          type: "string",
          title: "X",
          $comment: "c",
          examples: ["a"],
          "x-order": 1,
          readOnly: true,
        },
      },
      required: ["x", "x"],
      additionalProperties: false,
      $defs: {},
    };
    expect(checkFormSchema(schema)).toStrictEqual({
      ok: true,
      schema: {
        type: "object",
        properties: { x: { type: "string", title: "X" } },
        required: ["x"],
      },
    });
    expect(field(of({ type: "string" }, { additionalProperties: {} }))).toEqual({ type: "string" });
    expect(field(of({ type: "string" }, { required: [] }))).toEqual({ type: "string" });
  });

  it.each<[unknown, unknown]>([
    [{ const: "a" }, { type: "string", enum: ["a"] }],
    [{ enum: ["a", "b"] }, { type: "string", enum: ["a", "b"] }],
    [
      { anyOf: [{ const: "a" }, { type: "string", const: "b" }] },
      { type: "string", enum: ["a", "b"] },
    ],
    [
      { type: "string", oneOf: [{ const: "a", title: "A" }, { const: "b" }] },
      {
        type: "string",
        oneOf: [
          { const: "a", title: "A" },
          { const: "b", title: "b" },
        ],
      },
    ],
    [
      { type: "string", title: "T", oneOf: [{ const: "a", title: "A" }] },
      { type: "string", title: "T", oneOf: [{ const: "a", title: "A" }] },
    ],
    [
      { type: "string", enum: ["a", "b"], enumNames: ["A", "B"], default: "b" },
      {
        type: "string",
        oneOf: [
          { const: "a", title: "A" },
          { const: "b", title: "B" },
        ],
        default: "b",
      },
    ],
    [
      { type: "string", enum: ["a"], enumNames: ["A", "B"] },
      { type: "string", enum: ["a"] },
    ],
    [
      { type: "array", uniqueItems: true, items: { oneOf: [{ const: "a", title: "A" }] } },
      { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
    ],
    [{ type: ["boolean"] }, { type: "boolean" }],
    [
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9.5 },
      { type: "integer", minimum: 1, maximum: 9 },
    ],
    [
      { type: "integer", exclusiveMinimum: -0.5, exclusiveMaximum: 2 },
      { type: "integer", minimum: 0, maximum: 1 },
    ],
    [
      { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: "integer" },
    ],
    [
      { type: "string", format: "date", pattern: "x" },
      { type: "string", format: "date" },
    ],
  ])("reads %j as %j", (schema, said) => {
    expect(field(of(schema))).toStrictEqual(said);
  });

  it.each<[unknown, unknown]>([
    [
      { type: ["string", "null"], minLength: 1 },
      { type: "string", minLength: 1 },
    ],
    [
      { anyOf: [{ type: "string" }, { type: "null" }], title: "T", default: null },
      { type: "string", title: "T" },
    ],
    [{ oneOf: [{ enum: ["a", null] }, { const: null }] }, { type: "string", enum: ["a"] }],
    [
      { anyOf: [{ const: "a" }, { const: "b" }, { type: "null" }] },
      { type: "string", enum: ["a", "b"] },
    ],
  ])("reads null out of %j where the field is optional", (schema, said) => {
    expect(field(of(schema, {}))).toStrictEqual(said);
    expect(field(of(schema))).toBe("x: nobody can answer null; make it optional instead");
  });

  it.each<[unknown, string]>([
    [7, "its schema is not an object"],
    [{}, "it says no type a form knows"],
    [{ type: "null" }, "it says no type a form knows"],
    [{ type: ["string", "number"] }, "it allows values of several kinds"],
    [{ type: "object", properties: {} }, "it holds fields of its own"],
    [{ properties: {} }, "it holds fields of its own"],
    [{ type: "array", items: { type: "string" } }, "a list has to say its choices"],
    [{ type: "array" }, "a list has to say its choices"],
    [{ type: "array", items: { type: "object" } }, "a list has to say its choices"],
    [
      { type: "array", items: { enum: ["a"] }, minItems: 2 },
      "it wants more choices than there are",
    ],
    [{ type: "array", items: { enum: ["a"] }, contains: {} }, 'a form cannot say "contains"'],
    [{ type: "string", pattern: "^a$" }, 'a form cannot say "pattern"'],
    [{ type: "string", format: "uuid", pattern: "x" }, 'a form has no format "uuid"'],
    [{ type: "string", minLength: 3, maxLength: 2 }, "its minLength exceeds its maxLength"],
    [{ type: "string", minLength: -1 }, "its minLength is not a count"],
    [{ type: "string", maxLength: "9" }, "its maxLength is not a number"],
    [{ type: "string", default: 7 }, "its default has to be text"],
    [{ type: "number", exclusiveMinimum: 0 }, 'a form cannot say "exclusiveMinimum"'],
    [{ type: "number", multipleOf: 5 }, 'a form cannot say "multipleOf"'],
    [{ type: "number", minimum: 2, maximum: 1 }, "no number satisfies it"],
    [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 1 }, "no number satisfies it"],
    [{ type: "integer", default: 0.5 }, "its default has to be a whole number"],
    [{ type: "boolean", const: true }, "its choices have to be text"],
    [{ enum: [1, 2] }, "its choices have to be text"],
    [{ enum: [] }, "its enum is empty"],
    [{ enum: ["a", "a"] }, "one of its choices occurs twice"],
    [{ enum: ["a"], default: "b" }, "its default has to be one of its choices"],
    [{ enum: ["a"], oneOf: [{ const: "a" }] }, 'it says both "enum" and "oneOf"'],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "it allows values of several kinds"],
    [{ $ref: "#/$defs/x" }, "it says no type a form knows"],
    [{ type: "string", allOf: [{ minLength: 1 }] }, 'a form cannot say "allOf"'],
  ])("refuses %j and names the field", (schema, why) => {
    expect(field(of(schema))).toBe(`x: ${why}`);
  });

  it.each<[unknown, string]>([
    [null, "its schema is not an object"],
    [true, "its schema is not an object"],
    [{ type: "string" }, "it does not describe an object"],
    [{ properties: {} }, "it does not describe an object"],
    [{ type: "object" }, "it has no properties"],
    [{ type: "object", properties: [] }, "it has no properties"],
    [of({ type: "string" }, { required: "x" }), "its required is not a list"],
    [of({ type: "string" }, { required: ["y"] }), "its required names a field it does not have"],
    [
      of({ type: "string" }, { required: ["toString"] }),
      "its required names a field it does not have",
    ],
    [
      of({ type: "string" }, { additionalProperties: { type: "string" } }),
      "it allows fields under names of any kind",
    ],
    [of({ type: "string" }, { allOf: [] }), 'a form cannot say "allOf"'],
    [of({ type: "string" }, { minProperties: 1 }), 'a form cannot say "minProperties"'],
  ])("refuses the whole %j", (schema, why) => {
    expect(field(schema)).toBe(`undefined: ${why}`);
  });

  it("does without what a form cannot say, where that is wanted", () => {
    const drop = (x: unknown, more?: object): unknown => {
      const checked = checkFormSchema(of(x, more), { unsayable: "drop" });
      return checked.ok ? checked.schema : checked.why;
    };
    const whole = (x: unknown): unknown => ({ type: "object", properties: { x }, required });
    expect(drop({ type: "string", format: "uuid", pattern: "x", default: 7 })).toEqual(
      whole({ type: "string" }),
    );
    expect(drop({ type: "number", multipleOf: 5, minimum: 1 })).toEqual(
      whole({ type: "number", minimum: 1 }),
    );
    expect(drop({ type: ["string", "null"] })).toEqual(whole({ type: "string" }));
    expect(
      drop({ type: "string" }, { required, allOf: [{}], additionalProperties: { type: "string" } }),
    ).toEqual(whole({ type: "string" }));
    expect(drop({ type: "object", properties: {} })).toBe("it holds fields of its own");
  });

  it("keeps a field named __proto__", () => {
    const checked = checkFormSchema(
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
      ),
    );
    expect(JSON.stringify(checked.ok && checked.schema)).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    );
  });

  it("is read or refused, whatever it is, and reads the same a second time", () => {
    const inner = almost({
      type: fc.constantFrom("string", "number", "integer", "boolean", "array", ["string", "null"]),
      enum: fc.constantFrom(undefined, undefined, ["a", "b"]),
      items: fc.constantFrom(
        undefined,
        { enum: ["a", "b"] },
        { anyOf: [{ const: "a", title: "A" }] },
      ),
      minLength: fc.constantFrom(undefined, 0, 3),
      maximum: fc.constantFrom(undefined, 10, 0.5),
      format: fc.constantFrom(undefined, "email", "date"),
      default: fc.constantFrom(undefined, "a", 1, true, ["a"]),
    });
    const schema = almost({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom(...ODD_NAMES), inner, { maxKeys: 2 }),
      required: fc.uniqueArray(fc.constantFrom(...ODD_NAMES), { maxLength: 1 }),
    });
    let taken = 0;
    fc.assert(
      fc.property(
        fc.oneof({ weight: 4, arbitrary: schema }, { weight: 1, arbitrary: anyJson }),
        fc.constantFrom("refuse" as const, "drop" as const),
        (value, unsayable) => {
          const checked = checkFormSchema(value, { unsayable });
          if (!checked.ok) return;
          taken++;
          expect(JSON.stringify(checkFormSchema(checked.schema))).toBe(JSON.stringify(checked));
        },
      ),
      { numRuns: 1000 },
    );
    expect(taken).toBeGreaterThan(10);
  });
});

describe("what schema libraries say", () => {
  const said = {
    email: { type: "string", format: "email" },
    date: { type: "string", format: "date" },
    moment: { type: "string", format: "date-time" },
    short: { type: "string", minLength: 1, maxLength: 5 },
    count: { type: "integer" },
    share: { type: "number", minimum: 0, maximum: 1 },
    sure: { type: "boolean" },
    one: { type: "string", enum: ["a", "b"] },
    only: { type: "string", enum: ["a"] },
    some: { type: "array", minItems: 1, items: { type: "string", enum: ["a", "b"] } },
    note: { type: "string" },
    tone: { type: "string", default: "calm" },
  };
  const asked = Object.keys(said).filter((name) => name !== "note" && name !== "tone");

  it("zod 4", () => {
    const schema = z.object({
      email: z.email(),
      date: z.iso.date(),
      moment: z.iso.datetime(),
      short: z.string().min(1).max(5),
      count: z.int(),
      share: z.number().min(0).max(1),
      sure: z.boolean(),
      one: z.enum(["a", "b"]),
      only: z.literal("a"),
      some: z.array(z.enum(["a", "b"])).min(1),
      note: z.string().nullish(),
      tone: z.string().default("calm"),
      link: z.url().optional(),
      level: z.int().positive().max(9).optional(),
    });
    expect(checkFormSchema(z.toJSONSchema(schema, { io: "input" }))).toStrictEqual({
      ok: true,
      schema: {
        type: "object",
        properties: {
          ...said,
          link: { type: "string", format: "uri" },
          level: { type: "integer", minimum: 1, maximum: 9 },
        },
        required: asked,
      },
    });
  });

  it("ArkType", () => {
    const schema = type({
      email: "string.email",
      short: "1 <= string <= 5",
      count: "number.integer",
      share: "0 <= number <= 1",
      sure: "boolean",
      one: "'a' | 'b'",
      only: "'a'",
      some: "('a' | 'b')[] >= 1",
      "note?": "string | null",
      tone: "string = 'calm'",
    });
    const { date: _, moment: __, ...rest } = said;
    expect(checkFormSchema(schema.toJsonSchema())).toEqual({
      ok: true,
      schema: {
        type: "object",
        properties: rest,
        required: expect.arrayContaining(asked.filter((name) => name in rest)) as string[],
      },
    });
  });

  it("Valibot, through its converter", () => {
    const schema = v.object({
      email: v.pipe(v.string(), v.email()),
      date: v.pipe(v.string(), v.isoDate()),
      moment: v.pipe(v.string(), v.isoTimestamp()),
      short: v.pipe(v.string(), v.minLength(1), v.maxLength(5)),
      count: v.pipe(v.number(), v.integer()),
      share: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
      sure: v.boolean(),
      one: v.picklist(["a", "b"]),
      only: v.literal("a"),
      some: v.pipe(v.array(v.picklist(["a", "b"])), v.minLength(1)),
      note: v.nullish(v.string()),
      tone: v.optional(v.string(), "calm"),
    });
    expect(checkFormSchema(toJsonSchema(schema))).toEqual({
      ok: true,
      schema: { type: "object", properties: said, required: asked },
    });
  });
});
