/** The kinds of value JSON Schema tells apart. */
export type Kind = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/** A JSON Schema as it comes from a server: nothing is certain of it. */
export type Schema = Readonly<Record<string, unknown>>;

export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const KINDS = ["string", "number", "integer", "boolean", "null", "object", "array"] as const;

/** How far references and alternatives are followed: a schema may refer to itself. */
const DEPTH = 8;

/**
 * The kinds of value a schema lets through, as far as it says: `type`, the values of `enum` and
 * `const`, alternatives, and references within `root`. Undefined where it says nothing.
 */
export function kindsOf(schema: unknown, root: Schema, depth = DEPTH): Set<Kind> | undefined {
  if (!isSchema(schema) || depth === 0) return undefined;
  const { type } = schema;
  const named = KINDS.filter(
    (kind) => type === kind || (Array.isArray(type) && type.includes(kind)),
  );
  if (named.length > 0) return new Set(named);
  const values = valuesOf(schema);
  if (values !== undefined) return new Set(values.map(kindOf));
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(alternatives)) {
    return union(alternatives.map((alternative) => kindsOf(alternative, root, depth - 1)));
  }
  const target = referred(schema, root);
  return target === undefined ? undefined : kindsOf(target, root, depth - 1);
}

/** The values a schema lists, if it lists them. */
export function valuesOf(schema: unknown): readonly unknown[] | undefined {
  if (!isSchema(schema)) return undefined;
  const listed: unknown = schema["enum"];
  if (Array.isArray(listed)) return listed as unknown[];
  return Object.hasOwn(schema, "const") ? [schema["const"]] : undefined;
}

/** The schema of an array's items, as far as one schema says it. */
export function itemsOf(schema: unknown, root: Schema): unknown {
  if (!isSchema(schema)) return undefined;
  return schema["items"] ?? referred(schema, root)?.["items"];
}

function referred(schema: Schema, root: Schema): Schema | undefined {
  const { $ref: reference } = schema;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const escaped of reference.slice(2).split("/")) {
    const name = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isSchema(target) || !Object.hasOwn(target, name)) return undefined;
    target = target[name];
  }
  return isSchema(target) ? target : undefined;
}

function union(sets: readonly (Set<Kind> | undefined)[]): Set<Kind> | undefined {
  const all = new Set<Kind>();
  for (const set of sets) {
    if (set === undefined) return undefined;
    for (const kind of set) all.add(kind);
  }
  return all;
}

function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "number" || type === "boolean" || type === "object" ? type : "string";
}

const WORDS: Readonly<Record<Kind, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  object: "a JSON object",
  array: "a list",
};

/** What a schema takes, in words. */
export function inWords(schema: unknown, root: Schema): string {
  const values = valuesOf(schema);
  if (values !== undefined) return values.map((value) => shown(value)).join(", ");
  const kinds = kindsOf(schema, root);
  if (kinds === undefined) return "any JSON value";
  return [...kinds].map((kind) => WORDS[kind]).join(" or ");
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
