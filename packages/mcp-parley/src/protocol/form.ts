import type { FormContent, FormSchema, FormValue, PrimitiveSchema } from "./elicitation.js";
import { readField, refuseRest } from "./form-field.js";
import type { Keywords, Unsayable } from "./form-keywords.js";
import { Unfit, keywordsOf } from "./form-keywords.js";
import { checkValue } from "./form-value.js";
import { isObject, own } from "./json.js";

// The protocol's form: a flat object of primitive fields. Specification: client/elicitation,
// Requested Schema.

/** The schema in the protocol's own words, or which field cannot be in a form and why. */
export type CheckedSchema =
  { ok: true; schema: FormSchema } | { ok: false; field: string | undefined; why: string };

export interface CheckFormOptions {
  /**
   * What becomes of a constraint that a form cannot say, such as a pattern or `multipleOf`. `refuse`,
   * the default, is for a server that has nothing else to hold an answer against. `drop` is for a
   * client, and for who holds the answer against the whole schema later.
   */
  readonly unsayable?: Unsayable | undefined;
}

/**
 * Reads a JSON Schema as a form. What converters add beside (`$schema`, a closed
 * `additionalProperties`, a pattern beside one of the four formats, the bounds of safe integers) is
 * left out; constants, alternatives of constants and `enumNames` become choices; an optional field
 * may have been nullable. Never throws.
 */
export function checkFormSchema(schema: unknown, options: CheckFormOptions = {}): CheckedSchema {
  const { unsayable = "refuse" } = options;
  let field: string | undefined;
  try {
    const root = keywordsOf(schema);
    const required = readRoot(root, unsayable);
    const properties: [string, PrimitiveSchema][] = [];
    for (const [name, inner] of keywordsOf(root.get("properties"))) {
      field = name;
      properties.push([name, readField(inner, required.has(name), unsayable)]);
    }
    return {
      ok: true,
      schema: {
        type: "object",
        properties: Object.fromEntries(properties),
        ...(required.size > 0 && { required: [...required] }),
      },
    };
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, field, why: error.message };
    throw error;
  }
}

/** The names of the fields that have to be answered. */
function readRoot(root: Keywords, unsayable: Unsayable): Set<string> {
  if (root.get("type") !== "object") throw new Unfit("it does not describe an object");
  const properties = root.get("properties");
  if (!isObject(properties)) throw new Unfit("it has no properties");
  refuseRest(root, ["properties", "required", "additionalProperties"], unsayable);
  const others = root.get("additionalProperties") ?? false;
  if (unsayable === "refuse" && isObject(others) && Object.keys(others).length > 0) {
    throw new Unfit("it allows fields under names of any kind");
  }
  const required: unknown = root.get("required") ?? [];
  if (!Array.isArray(required)) throw new Unfit("its required is not a list");
  for (const name of required) {
    if (typeof name !== "string" || !Object.hasOwn(properties, name)) {
      throw new Unfit("its required names a field it does not have");
    }
  }
  return new Set<string>(required);
}

/** What is wrong with one field, or with the content as a whole; to be read after the name. */
export interface Issue {
  readonly field: string | undefined;
  readonly why: string;
}

/** The content that the schema knows, or everything that is wrong with it. */
export type CheckedContent =
  { ok: true; content: FormContent } | { ok: false; issues: readonly Issue[] };

/**
 * Holds an accepted form's content against its schema, which came from {@link checkFormSchema}.
 * Missing content is empty content; members that the schema does not know are left out. Lengths
 * count code points, whole numbers are safe integers, and a choice counts once. Never throws.
 */
export function validateContent(schema: FormSchema, content: unknown): CheckedContent {
  const given = content ?? {};
  if (!isObject(given) || content === null) {
    return { ok: false, issues: [{ field: undefined, why: "has to be an object" }] };
  }
  const required = new Set(schema.required);
  const kept: [string, FormValue][] = [];
  const issues: Issue[] = [];
  for (const [field, rules] of Object.entries(schema.properties)) {
    const value = own(given, field);
    if (value === undefined) {
      if (required.has(field)) issues.push({ field, why: "is required" });
      continue;
    }
    const why = checkValue(rules, value);
    if (why === undefined) kept.push([field, value as FormValue]);
    else issues.push({ field, why });
  }
  return issues.length > 0
    ? { ok: false, issues }
    : { ok: true, content: Object.fromEntries(kept) };
}

/** The content with the defaults of the fields it does not answer. */
export function fillDefaults(schema: FormSchema, content: FormContent): FormContent {
  const filled = Object.entries(content);
  for (const [field, { default: initial }] of Object.entries(schema.properties)) {
    if (initial === undefined || own(content, field) !== undefined) continue;
    filled.push([field, Array.isArray(initial) ? [...initial] : initial]);
  }
  return Object.fromEntries(filled);
}
