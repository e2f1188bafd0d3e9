import { stringText } from "../protocol/json.js";

/** How deep a value may be nested before it has no canonical form. */
export const MAX_DEPTH = 32;

/** True for text without a surrogate that stands alone: what UTF-8 can carry without loss. */
export function isWellFormed(text: string): boolean {
  // In every Node this package runs on; the library this compiles against does not list it yet.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/**
 * The canonical JSON text of a value, RFC 8785: members sorted by UTF-16 code units, numbers and
 * strings as ECMAScript writes them, no white space. Undefined for what has none: text that is
 * not well-formed Unicode, numbers that are not finite, anything that is not plain JSON, and
 * nesting deeper than `depth`. Members that are undefined count as absent.
 */
export function canonicalJson(value: unknown, depth: number = MAX_DEPTH): string | undefined {
  switch (typeof value) {
    case "string":
      return isWellFormed(value) ? stringText(value) : undefined;
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : undefined;
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth <= 0) return undefined;
      return Array.isArray(value) ? canonicalArray(value, depth) : canonicalObject(value, depth);
    default:
      return undefined;
  }
}

function canonicalArray(array: readonly unknown[], depth: number): string | undefined {
  let text = "[";
  for (let i = 0; i < array.length; i += 1) {
    const element = canonicalJson(array[i], depth - 1);
    if (element === undefined) return undefined;
    text += i === 0 ? element : "," + element;
  }
  return text + "]";
}

function canonicalObject(object: object, depth: number): string | undefined {
  if (!isPlain(object)) return undefined;
  const members = object as Record<string, unknown>;
  let text = "{";
  const names = Object.keys(members);
  // Sorting without a comparison function is by UTF-16 code units, as the RFC wants it.
  if (names.length > 1) names.sort();
  for (const name of names) {
    const member = members[name];
    if (member === undefined) continue;
    if (!isWellFormed(name)) return undefined;
    const written = canonicalJson(member, depth - 1);
    if (written === undefined) return undefined;
    text += (text.length === 1 ? "" : ",") + stringText(name) + ":" + written;
  }
  return text + "}";
}

/** A date or a map has members JSON would not show: two of them would look alike. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
