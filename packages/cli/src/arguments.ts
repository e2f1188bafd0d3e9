import { type CommandError, usage } from "./exit.js";
import { oneLine } from "./plain.js";
import {
  type Kind,
  type Schema,
  inWords,
  isSchema,
  itemsOf,
  kindsOf,
  valuesOf,
} from "./schema-kinds.js";

/** One argument as it was typed. */
interface Given {
  readonly name: string;
  readonly text: string;
  /** Typed as `name:=json`: the value is JSON, whatever the schema says. */
  readonly isJson: boolean;
}

/**
 * A tool's arguments from the words typed for them: `name=value`, read by the tool's schema, or
 * `name:=json`. Throws a usage error that names the argument for whatever does not fit.
 *
 * 1. Text is never taken for anything else where the schema takes text alone.
 * 2. A name given twice makes a list where the schema takes one, and is an error otherwise.
 * 3. The whole of the schema is for the server to hold the arguments against: what is checked here
 *    is what the command has to know to build them, and required names.
 */
export function readArguments(words: readonly string[], schema: Schema): Record<string, unknown> {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const values = new Map<string, unknown>();
  for (const { name, text, isJson } of words.map(read)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined && !isJson && !takesMore(schema)) throw unknown(name, properties);
    const value = isJson ? json(name, text) : typed(name, text, property, schema);
    if (!values.has(name)) values.set(name, value);
    else values.set(name, joined(name, values.get(name), value));
  }
  const missing = required(schema).filter((name) => !values.has(name));
  if (missing.length > 0) throw incomplete(missing, properties, schema);
  return Object.fromEntries(values);
}

function read(word: string): Given {
  const at = word.indexOf("=");
  const isJson = word[at - 1] === ":";
  const name = word.slice(0, isJson ? at - 1 : at);
  if (at === -1 || name === "") {
    throw usage(`"${oneLine(word)}" is no argument: give name=value, or name:=json.`);
  }
  return { name, text: word.slice(at + 1), isJson };
}

function json(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw wrong(name, `${oneLine(text, 60)} is not JSON (${oneLine(why)})`);
  }
}

function typed(name: string, text: string, property: unknown, schema: Schema): unknown {
  const kinds = kindsOf(property, schema);
  const value = kinds === undefined ? text : valueOf(name, text, kinds, property, schema);
  const listed = valuesOf(property);
  if (listed !== undefined && !listed.includes(value)) {
    throw wrong(name, `"${oneLine(text, 60)}" is none of ${oneLine(inWords(property, schema))}`);
  }
  return value;
}

/** JSON's own numbers, so that text such as 007 stays text where text is allowed, too. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function valueOf(
  name: string,
  text: string,
  kinds: ReadonlySet<Kind>,
  property: unknown,
  schema: Schema,
): unknown {
  if ((kinds.has("number") || kinds.has("integer")) && NUMBER.test(text)) {
    const value = Number(text);
    if (kinds.has("number") || Number.isSafeInteger(value)) return value;
  }
  if (kinds.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (kinds.has("null") && text === "null") return null;
  if (kinds.has("object") && text.startsWith("{")) return json(name, text);
  if (kinds.has("array")) {
    if (text.startsWith("[")) return json(name, text);
    if (!kinds.has("string")) return [typed(name, text, itemsOf(property, schema), schema)];
  }
  if (kinds.has("string")) return text;
  throw wrong(name, `"${oneLine(text, 60)}" is not ${oneLine(inWords(property, schema))}`);
}

function joined(name: string, before: unknown, value: unknown): unknown[] {
  if (Array.isArray(before) && Array.isArray(value))
    return [...(before as unknown[]), ...(value as unknown[])];
  throw wrong(name, "is given twice, and takes one value");
}

function takesMore(schema: Schema): boolean {
  const more = schema["additionalProperties"];
  return more === true || isSchema(more) || isSchema(schema["patternProperties"]);
}

function required(schema: Schema): string[] {
  const names: unknown = schema["required"];
  if (!Array.isArray(names)) return [];
  return (names as unknown[]).filter((name) => typeof name === "string");
}

function wrong(name: string, why: string): CommandError {
  return usage(`Argument ${oneLine(name, 60)}: ${why}.`);
}

function unknown(name: string, properties: Schema): CommandError {
  const names = Object.keys(properties).map((known) => oneLine(known, 60));
  const known = names.length === 0 ? "takes none" : `takes ${names.join(", ")}`;
  return usage(
    `The tool has no argument ${oneLine(name, 60)}: it ${known}. To send it all the same, write ${oneLine(name, 60)}:=json.`,
  );
}

function incomplete(names: readonly string[], properties: Schema, schema: Schema): CommandError {
  const lines = names.map((name) => {
    const takes = oneLine(inWords(properties[name], schema));
    return `  ${oneLine(name, 60)}=…  ${takes}`;
  });
  const noun = names.length === 1 ? "an argument" : `${names.length} arguments`;
  return usage(`The tool needs ${noun} more:\n${lines.join("\n")}`);
}
