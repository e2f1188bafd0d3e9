/// <reference lib="es2024.string" />
import { INVALID_REQUEST, PARSE_ERROR } from "./codes.js";
import { isObject, own } from "./json.js";
import type { RequestId } from "./jsonrpc.js";
import { isRequestId } from "./jsonrpc.js";

// JSON as peers of different make read it alike:
//
// 1. A member occurs once in its object. The text of a valid document has as many members as its
//    parsed value, unless some occur twice: then parsing has dropped the earlier ones.
// 2. Strings and keys are well-formed Unicode, and numbers finite.
// 3. Nesting is bounded. The check walks level by level, so depth never costs stack.
// 4. Nothing throws, whatever the text.

/** What parsing came to. `id` is the message's own, where it can still be told. */
export type Parsed =
  | { ok: true; value: unknown }
  | {
      ok: false;
      code: typeof PARSE_ERROR | typeof INVALID_REQUEST;
      why: string;
      id: RequestId | undefined;
    };

export interface ParseLimits {
  /** How deep objects and arrays may nest; default 64. */
  readonly maxDepth?: number | undefined;
}

/** The nesting allowed by default. */
export const MAX_DEPTH = 64;

/**
 * Parses one message. What is not JSON is `-32700`; JSON with duplicate members, lone surrogates,
 * numbers beyond a double or too deep a nesting is `-32600`. Never throws.
 */
export function parseJson(text: string, limits?: ParseLimits): Parsed {
  return parse(text, limits, text.isWellFormed());
}

/** {@link parseJson} for bytes, which have to be UTF-8 without a byte order mark. */
export function parseBytes(bytes: Uint8Array, limits?: ParseLimits): Parsed {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, code: PARSE_ERROR, why: "Not valid UTF-8", id: undefined };
  }
  return parse(text, limits, true);
}

// the mark is kept, so that the JSON parser refuses it
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parse(text: string, limits: ParseLimits | undefined, wellFormed: boolean): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, code: PARSE_ERROR, why: "Not valid JSON", id: undefined };
  }
  // only then can a string in it be ill-formed
  const suspect = !wellFormed || text.includes("\\ud") || text.includes("\\uD");
  const judged = judge(value, limits?.maxDepth ?? MAX_DEPTH, suspect);
  const why =
    typeof judged === "number" && judged !== countMembers(text)
      ? "A member occurs twice in its object"
      : judged;
  if (typeof why === "number") return { ok: true, value };
  return { ok: false, code: INVALID_REQUEST, why, id: idIn(text, value) };
}

/** How many members the value has, at every level; or what is wrong with it. */
function judge(value: unknown, maxDepth: number, suspect: boolean): number | string {
  let members = 0;
  let level: object[] = [[value]];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return `Nested deeper than ${maxDepth} levels`;
    const next: object[] = [];
    for (const container of level) {
      const isArray = Array.isArray(container);
      const values: unknown[] = isArray ? container : Object.values(container);
      if (!isArray) members += values.length;
      if (suspect && !isArray && !Object.keys(container).every((key) => key.isWellFormed())) {
        return "A member's name is not well-formed Unicode";
      }
      for (const inner of values) {
        if (typeof inner === "object") {
          if (inner !== null) next.push(inner);
        } else if (typeof inner === "number") {
          if (!Number.isFinite(inner)) return "A number is out of range";
        } else if (suspect && typeof inner === "string" && !inner.isWellFormed()) {
          return "A string is not well-formed Unicode";
        }
      }
    }
    level = next;
  }
  return members;
}

/** How many members valid JSON text has: its strings that a colon follows. */
function countMembers(text: string): number {
  let members = 0;
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = endOfString(text, start);
    if (isName(text, end)) members++;
    start = text.indexOf('"', end + 1);
  }
  return members;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes stands before the quote. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (quote - before) % 2 === 0;
}

/** Whether a colon follows the string that ends at `end`. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  let code = text.charCodeAt(at);
  while (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) {
    code = text.charCodeAt(++at);
  }
  return code === COLON;
}

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const COLON = 58;
const BACKSLASH = 92;

/** The id of a message that was refused, unless it has none that can be used, or several. */
function idIn(text: string, value: unknown): RequestId | undefined {
  const id = isObject(value) ? own(value, "id") : undefined;
  return isRequestId(id) && countIds(text) === 1 ? id : undefined;
}

function countIds(text: string): number {
  let ids = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === '"') {
      const end = endOfString(text, at);
      if (depth === 1 && isName(text, end) && JSON.parse(text.slice(at, end + 1)) === "id") ids++;
      at = end;
    }
  }
  return ids;
}
