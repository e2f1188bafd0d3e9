import { describe, expect, it } from "vitest";
import { jsonSchema } from "../../../src/entry/json-schema.js";
import { jsonSchemaOf, validate } from "../../../src/flow/schema.js";
import type { Validated } from "../../../src/flow/schema.js";

type Schema = Record<string, unknown>;

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

function check(schema: Schema, value: unknown): Validated<unknown> {
  return validate(jsonSchema(schema), value) as Validated<unknown>;
}

const fits = (schema: Schema, value: unknown): boolean => check(schema, value).ok;

function issues(schema: Schema, value: unknown): readonly string[] {
  const checked = check(schema, value);
  return checked.ok ? [] : checked.issues;
}

const usage = (message: string): unknown =>
  expect.objectContaining({ code: "usage", message: expect.stringContaining(message) as unknown });

function refusal(schema: unknown): unknown {
  try {
    jsonSchema(schema as Schema);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a JSON Schema", () => {
  it("gives the value itself, and says itself as it was given", () => {
    const schema = { type: "object", properties: { n: { type: "integer", "x-mcp-header": "N" } } };
    const made = jsonSchema(schema);
    const value = { n: 1 };
    expect(validate(made, value)).toEqual({ ok: true, value });
    expect(jsonSchemaOf(made)).toEqual(schema);
  });

  it("is not changed by who gave it", () => {
    const schema: Schema = { type: "object", required: ["a"] };
    const made = jsonSchema(schema);
    schema["required"] = [];
    expect(jsonSchemaOf(made)).toEqual({ type: "object", required: ["a"] });
    expect(validate(made, {})).toMatchObject({ ok: false });
  });

  it.each<[string, Schema, unknown, unknown]>([
    ["$defs", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, "x", 1],
    ["$anchor", { $ref: "#a", $defs: { b: { $anchor: "a", const: 1 } } }, 1, 2],
    [
      "embedded $id",
      {
        $id: "https://example.com/root",
        $ref: "item",
        $defs: { i: { $id: "https://example.com/item", type: "number" } },
      },
      1,
      "x",
    ],
    [
      "a reference to itself",
      { type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false },
      { next: { next: {} } },
      { next: { other: {} } },
    ],
    [
      "$dynamicRef",
      { $dynamicAnchor: "node", type: "array", items: { $dynamicRef: "#node" } },
      [[], [[]]],
      [[1]],
    ],
    ["prefixItems", { prefixItems: [{ const: 1 }], items: false }, [1], [1, 2]],
    [
      "dependentSchemas",
      { dependentSchemas: { a: { required: ["b"] } } },
      { a: 1, b: 1 },
      { a: 1 },
    ],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1 },
      { b: 1 },
    ],
    ["if/then", { if: { const: 1 }, then: false }, 2, 1],
    ["minContains", { contains: { const: 1 }, minContains: 2 }, [1, 1], [1, 2]],
    [
      "uniqueItems",
      { uniqueItems: true },
      [{ a: 1, b: 2 }],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    ["uniqueItems: false", { uniqueItems: false, maxItems: 2 }, [1, 1], [1, 1, 1]],
    ["pattern", { pattern: "^[a-z]+(-[a-z]+)*$" }, "a-b", "a--b"],
    ["two patterns", { allOf: [{ pattern: "^a" }, { pattern: "b$" }] }, "ab", "a"],
    [
      "patternProperties",
      { patternProperties: { "^x-": { type: "string" } } },
      { y: 1 },
      { "x-": 1 },
    ],
    [
      "draft-07 tuples",
      { $schema: DRAFT_07, items: [{ const: 1 }], additionalItems: false },
      [1],
      [1, 2],
    ],
    [
      "draft-07 definitions",
      { $schema: DRAFT_07, $ref: "#/definitions/a", definitions: { a: { const: 1 } } },
      1,
      2,
    ],
  ])("knows %s", (_, schema, good, bad) => {
    expect(fits(schema, good)).toBe(true);
    expect(fits(schema, bad)).toBe(false);
  });

  it("takes format for what it is, a note", () => {
    expect(fits({ format: "email" }, "nobody")).toBe(true);
  });
});

describe("a JSON Schema is refused", () => {
  it.each<[string, unknown, string]>([
    ["that is none", true, "object"],
    ["that is an array", [], "object"],
    ["whose type is none", { type: "text" }, "#/type"],
    [
      "with a malformed keyword inside",
      { properties: { a: { required: "x" } } },
      "#/properties/a/required",
    ],
    [
      "of a dialect that is not known",
      { $schema: "http://json-schema.org/draft-04/schema#" },
      "draft-04",
    ],
    ["whose $schema is no text", { $schema: 7 }, "dialect"],
    [
      "that mixes dialects",
      { $schema: DRAFT_2020, properties: { a: { $schema: DRAFT_07 } } },
      "mixes",
    ],
    [
      "that refers to the network",
      { properties: { a: { $ref: "https://example.com/a.json" } } },
      "https://example.com/a.json",
    ],
    ["that refers to a file", { $ref: "file:///etc/passwd" }, "file:///etc/passwd"],
    ["that refers to what is not there", { $ref: "#/$defs/a" }, "#/$defs/a"],
    [
      "that refers to the network from draft-07",
      { $schema: DRAFT_07, $ref: "https://example.com/a.json" },
      "example.com",
    ],
    ["with a $dynamicRef elsewhere", { $dynamicRef: "https://example.com/a#b" }, "dynamicRef"],
    ["that refers from inside data", { const: { $ref: "#" } }, "const"],
    ["with a pattern that looks around", { pattern: "^(?=a)" }, "looks around"],
    ["with a pattern that is none", { pattern: "(" }, "pattern"],
    ["with a bad pattern of a property", { patternProperties: { "(a)\\1": {} } }, "refers back"],
    ["that is nested too deeply", nested(70), "deeper"],
    [
      "that has too many subschemas",
      { anyOf: Array.from({ length: 2_001 }, () => ({})) },
      "subschemas",
    ],
    ["that has too many members", { enum: Array.from({ length: 60_000 }, (_, n) => n) }, "members"],
    [
      "with a property called __proto__",
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
      "__proto__",
    ],
    ["that uses the one name of ours", { properties: { "parley-step": {} } }, "parley-step"],
  ])("%s", (_, schema, why) => {
    expect(refusal(schema)).toEqual(usage(why));
  });

  it("that contains itself", () => {
    const schema: Schema = { type: "object" };
    schema["not"] = schema;
    expect(refusal(schema)).toEqual(usage("deeper"));
  });
});

describe("what does not fit", () => {
  const order = {
    type: "object",
    properties: {
      size: { enum: ["small", "large"] },
      lines: {
        type: "array",
        items: {
          type: "object",
          required: ["sku"],
          additionalProperties: false,
          properties: { sku: { type: "string", minLength: 1 } },
        },
      },
    },
    required: ["size"],
  };

  it("is told whole, each with its place and what would fit", () => {
    expect(issues(order, { size: "huge", lines: [{ sku: "" }, { skew: 1 }] })).toEqual([
      'size: must be one of ["small","large"]',
      "lines.0.sku: must NOT have fewer than 1 characters",
      "lines.1: must have required property 'sku'",
      'lines.1: must NOT have additional properties: "skew"',
    ]);
  });

  it("is told up to ten issues, and each once", () => {
    const lines = Array.from({ length: 100 }, () => ({}));
    expect(issues(order, { size: "small", lines })).toHaveLength(10);
    expect(issues({ anyOf: [{ type: "string" }, { type: "string" }] }, 1)).toEqual([
      "must be string",
      "must match a schema in anyOf",
    ]);
  });

  it("is told without the value", () => {
    for (const schema of [
      { const: 1 },
      { type: "string" },
      { pattern: "^a$" },
      { maximum: 1 },
      { maxLength: 2 },
    ]) {
      for (const value of ["hunter2", 999_999_123]) {
        expect(issues(schema, value).join()).not.toMatch(/hunter2|999999123/);
      }
    }
  });

  it("is told with names that are short", () => {
    const long = "n".repeat(10_000);
    expect(issues({ additionalProperties: false }, { [long]: 1 })[0]?.length).toBeLessThan(200);
    expect(
      issues({ additionalProperties: { type: "string" } }, { [long]: 1 })[0]?.length,
    ).toBeLessThan(200);
  });
});

describe("no value takes for ever", () => {
  const forked: Schema = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        anyOf: [
          { properties: { next: { $ref: "#/$defs/node" }, end: { const: 1 } } },
          { properties: { next: { $ref: "#/$defs/node" }, end: { const: 1 } } },
        ],
      },
    },
  };

  /** `next` in `next`, so many levels deep, and at the bottom what does not fit. */
  const chained = (levels: number): Schema =>
    Array.from({ length: levels }).reduce<Schema>((next) => ({ next }), { end: 2 });

  it("where references fork", () => {
    expect(issues(forked, chained(60))).toEqual(["is too large or too deep to be checked"]);
  });

  it("where they fork out of a keyword that is not known", () => {
    const hidden = { $ref: "#/x-hidden/node", "x-hidden": forked["$defs"] as Schema };
    const text = JSON.stringify(hidden).replaceAll("#/$defs/node", "#/x-hidden/node");
    expect(issues(JSON.parse(text) as Schema, chained(60))).toEqual([
      "is too large or too deep to be checked",
    ]);
  });

  it("where a list has to be unique", () => {
    const items = Array.from({ length: 50_000 }, (_, n) => ({ n, text: String(n) }));
    expect(fits({ uniqueItems: true }, items)).toBe(true);
    expect(fits({ uniqueItems: true }, [...items, { text: "7", n: 7 }])).toBe(false);
  });

  it("where a pattern is a trap", () => {
    expect(fits({ pattern: "^(a+)+$" }, "a".repeat(100_000) + "!")).toBe(false);
    expect(
      fits({ patternProperties: { "^(a+)+$": false } }, { ["a".repeat(100_000) + "!"]: 1 }),
    ).toBe(true);
  });

  it("where a value contains itself", () => {
    const value: Schema = {};
    value["next"] = value;
    const schema = { type: "object", properties: { next: { $ref: "#" } } };
    expect(issues(schema, value)[0]).toMatch(/checked/);
  });

  it("and the next value is checked as if nothing had been", () => {
    const made = jsonSchema(forked);
    expect(validate(made, chained(60))).toMatchObject({ ok: false });
    expect(validate(made, { next: { next: { end: 1 } } })).toMatchObject({ ok: true });
  });

  it("where everything in a long list is wrong", () => {
    const value = Array.from({ length: 300_000 }, () => 1);
    expect(issues({ items: { type: "string" } }, value)).toEqual(["0: must be string"]);
  });
});

function nested(levels: number): Schema {
  return Array.from({ length: levels }).reduce<Schema>((not) => ({ not }), {});
}
