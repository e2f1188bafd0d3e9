import type {
  BooleanSchema,
  EnumSchema,
  NumberSchema,
  PrimitiveSchema,
  StringSchema,
} from "./elicitation.js";
import type { Keywords, Option, Unsayable } from "./form-keywords.js";
import { Unfit, countOf, keywordsOf, numberOf, optionsOf, withoutNull } from "./form-keywords.js";
import { checkValue } from "./form-value.js";
import { isTextFormat } from "./formats.js";

/**
 * One field in the protocol's own words, whichever words a converter used for it. Throws
 * {@link Unfit} for what a form cannot ask.
 */
export function readField(
  schema: unknown,
  required: boolean,
  unsayable: Unsayable,
): PrimitiveSchema {
  const keywords = keywordsOf(schema);
  const wasNullable = withoutNull(keywords);
  if (wasNullable && required && unsayable === "refuse") {
    throw new Unfit("nobody can answer null; make it optional instead");
  }
  const field = fieldOf(keywords, unsayable);
  const initial = keywords.get("default");
  if (initial === undefined) return field;
  const why = checkValue(field, initial);
  if (why === undefined) return { ...field, default: initial } as PrimitiveSchema;
  if (unsayable === "refuse") throw new Unfit(`its default ${why}`);
  return field;
}

function fieldOf(keywords: Keywords, unsayable: Unsayable): PrimitiveSchema {
  const type = keywords.get("type");
  if (type === "array") return selection(keywords, unsayable);
  if (type === "object" || keywords.has("properties")) {
    throw new Unfit("it holds fields of its own");
  }
  const options = optionsOf(keywords);
  if (options !== undefined) {
    if (type !== undefined && type !== "string") throw new Unfit("its choices have to be text");
    return choice(keywords, options, unsayable);
  }
  switch (type) {
    case "string":
      return textField(keywords, unsayable);
    case "number":
    case "integer":
      return numberField(keywords, type, unsayable);
    case "boolean":
      return yesOrNo(keywords, unsayable);
    default:
      throw new Unfit(
        Array.isArray(type) ? "it allows values of several kinds" : "it says no type a form knows",
      );
  }
}

function textField(keywords: Keywords, unsayable: Unsayable): StringSchema {
  const format = keywords.get("format");
  const known = isTextFormat(format) ? format : undefined;
  // a converter writes its own pattern beside a format; the format says it already
  const said = known === undefined ? [] : ["format", "pattern"];
  refuseRest(keywords, ["minLength", "maxLength", ...said], unsayable);
  const [minLength, maxLength] = range(keywords, "minLength", "maxLength");
  return {
    type: "string",
    ...labels(keywords),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(known !== undefined && { format: known }),
  };
}

function numberField(
  keywords: Keywords,
  type: "number" | "integer",
  unsayable: Unsayable,
): NumberSchema {
  const whole = type === "integer";
  const exclusive = whole ? ["exclusiveMinimum", "exclusiveMaximum"] : [];
  refuseRest(keywords, ["minimum", "maximum", ...exclusive], unsayable);
  let minimum = numberOf(keywords, "minimum") ?? -Infinity;
  let maximum = numberOf(keywords, "maximum") ?? Infinity;
  if (whole) {
    minimum = Math.max(
      minimum,
      Math.floor(numberOf(keywords, "exclusiveMinimum") ?? -Infinity) + 1,
    );
    maximum = Math.min(maximum, Math.ceil(numberOf(keywords, "exclusiveMaximum") ?? Infinity) - 1);
    // every whole number a form can give lies within these
    if (minimum <= Number.MIN_SAFE_INTEGER) minimum = -Infinity;
    if (maximum >= Number.MAX_SAFE_INTEGER) maximum = Infinity;
  }
  if (minimum > maximum) throw new Unfit("no number satisfies it");
  return {
    type,
    ...labels(keywords),
    ...(minimum !== -Infinity && { minimum }),
    ...(maximum !== Infinity && { maximum }),
  };
}

function yesOrNo(keywords: Keywords, unsayable: Unsayable): BooleanSchema {
  refuseRest(keywords, [], unsayable);
  return { type: "boolean", ...labels(keywords) };
}

function choice(keywords: Keywords, options: Option[], unsayable: Unsayable): EnumSchema {
  refuseRest(keywords, ["const", "enum", "oneOf", "anyOf"], unsayable);
  const base = { type: "string", ...labels(keywords) } as const;
  return hasTitles(options)
    ? { ...base, oneOf: options.map(titled) }
    : { ...base, enum: options.map((option) => option.const) };
}

function selection(keywords: Keywords, unsayable: Unsayable): EnumSchema {
  refuseRest(keywords, ["items", "minItems", "maxItems", "uniqueItems"], unsayable);
  if (!keywords.has("items")) throw new Unfit("a list has to say its choices");
  const items = keywordsOf(keywords.get("items"));
  refuseRest(items, ["const", "enum", "oneOf", "anyOf"], unsayable);
  const options = optionsOf(items);
  if (options === undefined) throw new Unfit("a list has to say its choices");

  const [minItems, maxItems] = range(keywords, "minItems", "maxItems");
  if (minItems !== undefined && minItems > options.length) {
    throw new Unfit("it wants more choices than there are");
  }
  const base = {
    type: "array",
    ...labels(keywords),
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
  } as const;
  return hasTitles(options)
    ? { ...base, items: { anyOf: options.map(titled) } }
    : { ...base, items: { type: "string", enum: options.map((option) => option.const) } };
}

function hasTitles(options: Option[]): boolean {
  return options.some((option) => option.title !== undefined);
}

function titled(option: Option): { const: string; title: string } {
  return { const: option.const, title: option.title ?? option.const };
}

function labels(keywords: Keywords): { title?: string; description?: string } {
  const title = keywords.get("title");
  const description = keywords.get("description");
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
  };
}

function range(keywords: Keywords, least: string, most: string): (number | undefined)[] {
  const minimum = countOf(keywords, least);
  const maximum = countOf(keywords, most);
  if ((minimum ?? 0) > (maximum ?? Infinity)) throw new Unfit(`its ${least} exceeds its ${most}`);
  return [minimum, maximum];
}

/**
 * What JSON Schema has to narrow a value down with. What is not listed is annotation, or nothing
 * that JSON Schema knows, and says nothing about values.
 */
export const CONSTRAINTS: ReadonlySet<string> = new Set([
  ...[
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
  ],
  ...["const", "enum", "minLength", "maxLength", "pattern", "format"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains"],
  ...["maxContains", "minItems", "maxItems", "uniqueItems", "required", "properties"],
  ...["patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames"],
  ...["minProperties", "maxProperties", "dependencies", "dependentRequired", "dependentSchemas"],
]);

/** Throws for a constraint that is not among those `said` in the field. */
export function refuseRest(
  keywords: Keywords,
  said: readonly string[],
  unsayable: Unsayable,
): void {
  if (unsayable === "drop") return;
  for (const [keyword, value] of keywords) {
    if (!CONSTRAINTS.has(keyword) || said.includes(keyword)) continue;
    throw new Unfit(
      keyword === "format" && typeof value === "string"
        ? `a form has no format "${value}"`
        : `a form cannot say "${keyword}"`,
    );
  }
}
