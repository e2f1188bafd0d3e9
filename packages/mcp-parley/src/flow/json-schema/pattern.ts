import { RE2JS, RE2JSSyntaxException } from "re2js";
import type { Work } from "./work.js";

/** A pattern as Ajv uses one. */
export interface Pattern {
  test(text: string): boolean;
}

/** Thrown for an expression whose matching can't be bounded. */
export class NotLinear extends Error {}

/** The longest expression, in characters, and what it costs to match one character of a text. */
const LONGEST = 4_096;
const PER_CHARACTER = 4;

/**
 * A regular expression that takes time in proportion to the text, whatever the text, by RE2's way
 * of matching. What can't be had in that time, looking around and back references, throws
 * {@link NotLinear}, and so does an expression that is too large; what is no expression of the
 * language's own (flag `u`) throws a SyntaxError.
 */
export function linearPattern(source: string, work: Work): Pattern {
  new RegExp(source, "u");
  if (source.length > LONGEST) throw new NotLinear("it is too large");
  const pattern = compiled(source);
  return {
    test(text) {
      work.spend(1 + PER_CHARACTER * text.length);
      return pattern.test(text);
    },
    // Ajv tells expressions apart by this.
    toString: () => `/${source}/u`,
  } as Pattern;
}

/** Back references by name, which would be read as something else; a pair of escapes for one point. */
const NAMED_REFERENCE = /(?<!\\)(?:\\\\)*\\k</u;
const PAIR = /\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/giu;

function compiled(source: string): RE2JS {
  if (NAMED_REFERENCE.test(source)) throw new NotLinear(UNBOUNDED);
  const joined = source.replace(PAIR, (_pair, high: string, low: string) =>
    String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)),
  );
  try {
    return RE2JS.compile(RE2JS.translateRegExp(joined));
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new NotLinear(UNBOUNDED, { cause: error });
  }
}

const UNBOUNDED = "it looks around, refers back or repeats too often";
