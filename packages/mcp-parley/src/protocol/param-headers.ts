import { PARAM_HEADER_PREFIX, decodeHeaderValue, paramText } from "./headers.js";
import { isObject } from "./json.js";

/** An argument that is mirrored into a header of its own. */
export interface ParamHeader {
  /** The whole name of the header. */
  readonly header: string;
  /** The members that lead to the argument. */
  readonly path: readonly string[];
}

/** What a tool's input schema mirrors, or why the schema, and so the tool, is not valid. */
export type ParamHeaders =
  { ok: true; headers: readonly ParamHeader[] } | { ok: false; why: string };

/** The annotation in an input schema. */
export const PARAM_HEADER_KEYWORD = "x-mcp-header";

/** A field name of HTTP. RFC 9110, 5.1. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const MIRRORED_TYPES: readonly unknown[] = ["string", "integer", "boolean"];

/** How deep a schema is searched. */
const DEEPEST = 64;

/**
 * Reads what a tool's input schema mirrors into headers. An annotation counts only on a text, a
 * whole number or a boolean that is reached by `properties` alone; anywhere else it makes the tool
 * invalid. Never throws. Specification: basic/transports/streamable-http, Schema Extension.
 */
export function paramHeaders(inputSchema: unknown): ParamHeaders {
  const headers: ParamHeader[] = [];
  const why = search(inputSchema, [], true, headers);
  if (why !== undefined) return { ok: false, why };
  const names = new Set(headers.map(({ header }) => header.toLowerCase()));
  return names.size === headers.length
    ? { ok: true, headers }
    : { ok: false, why: `two ${PARAM_HEADER_KEYWORD} have the same name` };
}

/** Says what is wrong; `reachable` while only `properties` led here. */
function search(
  schema: unknown,
  path: readonly string[],
  reachable: boolean,
  found: ParamHeader[],
): string | undefined {
  if (path.length > DEEPEST) return "the schema is nested too deeply";
  if (Array.isArray(schema)) {
    return first(schema, (item, at) => search(item, [...path, String(at)], false, found));
  }
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, PARAM_HEADER_KEYWORD)) {
    const why = annotated(schema, path, reachable);
    if (why !== undefined) return why;
    const header = PARAM_HEADER_PREFIX + String(schema[PARAM_HEADER_KEYWORD]);
    found.push({ header, path });
  }
  return first(Object.entries(schema), ([keyword, value]) => {
    if (keyword !== "properties" || !isObject(value)) {
      return search(value, [...path, keyword], false, found);
    }
    return first(Object.entries(value), ([name, property]) =>
      search(property, [...path, name], reachable, found),
    );
  });
}

function annotated(
  schema: Record<string, unknown>,
  path: readonly string[],
  reachable: boolean,
): string | undefined {
  const name = schema[PARAM_HEADER_KEYWORD];
  const where = `${PARAM_HEADER_KEYWORD} at '${path.join(".")}'`;
  if (typeof name !== "string" || !TOKEN.test(name)) return `${where} is no name of a header`;
  if (!reachable || path.length === 0) return `${where} is not reached by properties alone`;
  if (!MIRRORED_TYPES.includes(schema["type"])) {
    return `${where} is not on a string, an integer or a boolean`;
  }
  return undefined;
}

function first<T>(
  items: readonly T[],
  look: (item: T, at: number) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = look(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The argument at a path; undefined where there is none. Own members alone count. */
export function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const member of path) {
    if (!isObject(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}

/**
 * The first header that does not mirror its argument: missing where there is a value, there where
 * is none, ill-written, or unequal. Whole numbers are compared as numbers.
 * Specification: basic/transports/streamable-http, Server Behavior for Custom Headers.
 */
export function unmirrored(
  headers: readonly ParamHeader[],
  args: unknown,
  read: (header: string) => string | null,
): string | undefined {
  for (const { header, path } of headers) {
    const value = argumentAt(args, path);
    const text = paramText(value);
    const sent = read(header);
    if (text === undefined && sent === null) continue;
    const decoded = sent === null ? undefined : decodeHeaderValue(sent.trim());
    if (decoded === undefined || text === undefined) return header;
    const equal =
      typeof value === "number" ? Number(decoded) === value && decoded !== "" : decoded === text;
    if (!equal) return header;
  }
  return undefined;
}
