/**
 * Reads a regular expression that is known to be one (flag `u`) into a tree. What no linear
 * matcher can do, looking around and back references, is refused.
 */

/** Where an assertion holds. */
export type Place = "start" | "end" | "boundary" | "within";

/** A part of an expression. */
export type Part =
  /** One code point, as the source of an expression that matches it. */
  | { readonly kind: "one"; readonly source: string }
  | { readonly kind: "at"; readonly place: Place }
  | { readonly kind: "all"; readonly parts: readonly Part[] }
  | { readonly kind: "any"; readonly options: readonly Part[] }
  | { readonly kind: "times"; readonly part: Part; readonly min: number; readonly max: number };

/** Thrown for an expression whose matching can't be bounded. */
export class NotLinear extends Error {}

/** Throws {@link NotLinear}. `source` must be a valid expression under the flag `u`. */
export function parsePattern(source: string): Part {
  return new Parser(source).whole();
}

const QUANTIFIER = /(?:([*+?])|\{(\d+)(,(\d*))?\})\??/uy;
/** One code point of an expression's source: an escape, a class, or itself. */
const ONE =
  /\\(?:u\{[\da-f]+\}|ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|./isuy;
const PLACES: Readonly<Record<string, Place>> = {
  "^": "start",
  $: "end",
  "\\b": "boundary",
  "\\B": "within",
};

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): Part {
    return this.#choice();
  }

  #choice(): Part {
    const options = [this.#row()];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      options.push(this.#row());
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "any", options };
  }

  #row(): Part {
    const parts: Part[] = [];
    for (;;) {
      const next = this.#source[this.#at];
      if (next === undefined || next === "|" || next === ")") return { kind: "all", parts };
      parts.push(this.#repeated(next === "(" ? this.#group() : this.#single()));
    }
  }

  #group(): Part {
    const opening = /\((?:\?(?::|<(?![=!])[^>]*>))?/uy;
    const read = this.#read(opening)?.[0] ?? "";
    if (read === "(" && this.#source[this.#at] === "?") {
      throw new NotLinear("it looks around or changes flags");
    }
    const inside = this.#choice();
    this.#at += 1;
    return inside;
  }

  #single(): Part {
    const source = this.#read(ONE)?.[0] ?? "";
    const place = PLACES[source];
    if (place !== undefined) return { kind: "at", place };
    if (/^\\[1-9k]/.test(source)) throw new NotLinear("it refers back to a group");
    return { kind: "one", source };
  }

  #repeated(part: Part): Part {
    const read = this.#read(QUANTIFIER);
    if (read === undefined) return part;
    const [, sign, from, range, to] = read;
    if (sign !== undefined) {
      return { kind: "times", part, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
    }
    const min = Number(from);
    const max = range === undefined ? min : to === "" ? Infinity : Number(to);
    return { kind: "times", part, min, max };
  }

  #read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }
}
