import type { TitledOption } from "./elicitation.js";
import { isObject } from "./json.js";

// How JSON Schema says it, and how converters do: the reading part of `readField`.

/** A schema's keywords. A map, because a schema may come from anywhere. */
export type Keywords = Map<string, unknown>;

/** Why a field cannot be in a form. Thrown and caught within `checkFormSchema`. */
export class Unfit extends Error {}

/** What becomes of a constraint that a form cannot say. */
export type Unsayable = "refuse" | "drop";

/** The keywords of a schema. */
export function keywordsOf(schema: unknown): Keywords {
  if (!isObject(schema)) throw new Unfit("its schema is not an object");
  return new Map(Object.entries(schema));
}

/**
 * Takes null out of what a schema allows and puts a single alternative that is left in the schema's
 * place. True if there was a null.
 */
export function withoutNull(keywords: Keywords): boolean {
  let found = false;
  for (const [keyword, isNull] of NULLABLE) {
    const entries = keywords.get(keyword);
    if (!Array.isArray(entries)) continue;
    const others: unknown[] = entries.filter((entry) => !isNull(entry));
    found ||= others.length < entries.length;
    keywords.set(keyword, others);
    const [only] = others;
    if (others.length !== 1) continue;
    if (keyword === "type") keywords.set("type", only);
    else if (keyword !== "enum" && isObject(only) && !Object.hasOwn(only, "const")) {
      keywords.delete(keyword);
      for (const [name, value] of Object.entries(only)) keywords.set(name, value);
    }
  }
  if (found && keywords.get("default") === null) keywords.delete("default");
  return found;
}

/** Where null may stand, in an order that finds it inside an alternative that was left, too. */
const NULLABLE: readonly (readonly [string, (entry: unknown) => boolean])[] = [
  ["anyOf", isNullSchema],
  ["oneOf", isNullSchema],
  ["type", (entry) => entry === "null"],
  ["enum", (entry) => entry === null],
];

function isNullSchema(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return Object.hasOwn(schema, "const") ? schema["const"] === null : schema["type"] === "null";
}

/** A choice as it was found: with or without a label. */
export type Option = Omit<TitledOption, "title"> & { title?: string | undefined };

/**
 * The choices a schema allows, whether it says so by `const`, by `enum` (with the `enumNames` of
 * earlier revisions) or by alternatives that are constants; undefined if it says no such thing.
 */
export function optionsOf(keywords: Keywords): Option[] | undefined {
  const said = ["const", "enum", "oneOf", "anyOf"].filter((keyword) => keywords.has(keyword));
  const [keyword] = said;
  if (keyword === undefined) return undefined;
  if (said.length > 1) throw new Unfit(`it says both "${said.join('" and "')}"`);

  const value = keywords.get(keyword);
  const entries = keyword === "const" ? [value] : value;
  if (!Array.isArray(entries) || entries.length === 0) throw new Unfit(`its ${keyword} is empty`);
  const options =
    keyword === "oneOf" || keyword === "anyOf"
      ? entries.map(constantOf)
      : labelled(entries, keywords.get("enumNames"));
  if (new Set(options.map((option) => option.const)).size < options.length) {
    throw new Unfit("one of its choices occurs twice");
  }
  return options;
}

function constantOf(schema: unknown): Option {
  const keywords = keywordsOf(schema);
  if (!keywords.has("const")) throw new Unfit("it allows values of several kinds");
  const title = keywords.get("title");
  return {
    const: text(keywords.get("const")),
    title: typeof title === "string" ? title : undefined,
  };
}

function labelled(values: unknown[], names: unknown): Option[] {
  const titles: unknown[] = Array.isArray(names) && names.length === values.length ? names : [];
  return values.map((value, at) => {
    const title = titles[at];
    return { const: text(value), title: typeof title === "string" ? title : undefined };
  });
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Unfit("its choices have to be text");
  return value;
}

/** The number a keyword has; undefined without one. */
export function numberOf(keywords: Keywords, keyword: string): number | undefined {
  const value = keywords.get(keyword);
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new Unfit(`its ${keyword} is not a number`);
  }
  return value;
}

/** The count a keyword has; undefined without one. */
export function countOf(keywords: Keywords, keyword: string): number | undefined {
  const value = numberOf(keywords, keyword);
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
    throw new Unfit(`its ${keyword} is not a count`);
  }
  return value;
}
