/// <reference lib="es2024.string" />
import { INVALID_REQUEST, PARSE_ERROR } from "./codes.js";
import { isObject, own } from "./json.js";
import type { RequestId } from "./jsonrpc.js";
import { isRequestId } from "./jsonrpc.js";

// JSON as peers of different make read it alike:
//
// 1. A member occurs once in its object. The text of a valid document has as many members as its
//    parsed value, unless some occur twice: then parsing has dropped the earlier ones.
// 2. Strings and keys are well-formed Unicode, unless the limits say otherwise, and numbers finite.
// 3. Nesting is bounded, and so is the recursion that checks it.
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
  /** How deep objects and arrays may nest; default 64, at most 1000. */
  readonly maxDepth?: number | undefined;
  /** Whether strings may hold lone surrogates, as text does that was cut short; default not. */
  readonly loneSurrogates?: boolean | undefined;
}

/** The nesting allowed by default. */
export const MAX_DEPTH = 64;

/** The nesting that may be allowed: no stack is too small for it. */
const UTMOST_DEPTH = 1000;

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
  const survey: Survey = {
    maxDepth: Math.min(limits?.maxDepth ?? MAX_DEPTH, UTMOST_DEPTH),
    // only then can a string in it be ill-formed
    suspect:
      limits?.loneSurrogates !== true &&
      (!wellFormed || text.includes("\\ud") || text.includes("\\uD")),
    members: 0,
    fault: undefined,
  };
  // the array holds the value as a container holds its values, and is no level of its own
  visit([value], 0, survey);
  const { members, fault } = survey;
  if (fault === undefined && hasMembers(text, members)) return { ok: true, value };
  const why = fault ?? "A member occurs twice in its object";
  return { ok: false, code: INVALID_REQUEST, why, id: idIn(text, value) };
}

/** What is found on the way through a parsed value. */
interface Survey {
  readonly maxDepth: number;
  /** Whether strings may hold lone surrogates. */
  readonly suspect: boolean;
  members: number;
  fault: string | undefined;
}

function visit(container: object, depth: number, survey: Survey): void {
  if (depth > survey.maxDepth) {
    survey.fault = `Nested deeper than ${survey.maxDepth} levels`;
  } else if (Array.isArray(container)) {
    for (const value of container) inspect(value, depth, survey);
  } else {
    // all of a parsed object's members are its own; one inherited from a polluted prototype would
    // only make the count wrong and the message refused
    for (const name in container) {
      survey.members++;
      if (survey.suspect) inspect(name, depth, survey);
      inspect((container as Record<string, unknown>)[name], depth, survey);
    }
  }
}

function inspect(value: unknown, depth: number, survey: Survey): void {
  if (typeof value === "object") {
    if (value !== null) visit(value, depth + 1, survey);
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) survey.fault = "A number is out of range";
  } else if (survey.suspect && typeof value === "string" && !value.isWellFormed()) {
    survey.fault = "A string or a member's name is not well-formed Unicode";
  }
}

/**
 * Whether valid JSON text has that many members, of which the parsed value has as many: never
 * fewer. Each has a colon outside all strings, so as many colons as members settle it; with more,
 * those within strings have to be told apart.
 */
function hasMembers(text: string, members: number): boolean {
  return countColons(text) === members || countColonsOutsideStrings(text) === members;
}

function countColons(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) colons++;
  return colons;
}

function countColonsOutsideStrings(text: string): number {
  let colons = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) colons++;
  }
  return colons;
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

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** The id of a message that was refused, unless it has none that can be used, or several. */
function idIn(text: string, value: unknown): RequestId | undefined {
  const id = isObject(value) ? own(value, "id") : undefined;
  return isRequestId(id) && countIds(text) === 1 ? id : undefined;
}

/** How many members of the message itself are named id. */
function countIds(text: string): number {
  let ids = 0;
  let depth = 0;
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === ":" && depth === 1 && JSON.parse(last) === "id") ids++;
    else if (character === '"') {
      const end = endOfString(text, at);
      last = text.slice(at, end + 1);
      at = end;
    }
  }
  return ids;
}
