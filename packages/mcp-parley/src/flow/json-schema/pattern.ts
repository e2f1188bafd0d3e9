import { NotLinear, parsePattern } from "./pattern-parse.js";
import type { Part, Place } from "./pattern-parse.js";
import type { Work } from "./work.js";

/** A step of a compiled expression; the numbers are those of the steps that may follow. */
type Step =
  | { readonly kind: "one"; readonly matches: (point: number) => boolean; readonly next: number }
  | { readonly kind: "at"; readonly place: Place; readonly next: number }
  | { readonly kind: "split"; first: number; readonly second: number }
  | { readonly kind: "found" };

/** The most steps of one expression: `[a-z]{1,1000}` has two thousand. */
const MOST_STEPS = 5_000;

/**
 * A regular expression that takes time in proportion to the text, whatever the text: all the ways
 * in which it could match are followed at once, and none is ever tried again. The same texts match
 * as match the language's own under the flag `u`. Looking around and back references, which can't
 * be had in that time, throw {@link NotLinear}; so does an expression that is too large.
 */
export class LinearPattern {
  readonly #source: string;
  readonly #steps: Step[] = [{ kind: "found" }];
  readonly #start: number;
  readonly #work: Work;

  /** Throws a SyntaxError for what is no expression. */
  constructor(source: string, work: Work) {
    new RegExp(source, "u");
    this.#source = source;
    this.#work = work;
    this.#start = this.#compile(parsePattern(source), 0);
  }

  /** Ajv tells expressions apart by this. */
  toString(): string {
    return `/${this.#source}/u`;
  }

  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean {
    let current = new Ways(this.#steps.length);
    let next = new Ways(this.#steps.length);
    for (let at = 0; ;) {
      if (this.#follow(current, this.#start, text, at)) return true;
      this.#work.spend(1 + current.size);
      const point = text.codePointAt(at);
      if (point === undefined) return false;
      const after = at + (point > 0xffff ? 2 : 1);
      for (let way = 0; way < current.size; way += 1) {
        const step = this.#steps[current.at(way)];
        if (step?.kind !== "one" || !step.matches(point)) continue;
        if (this.#follow(next, step.next, text, after)) return true;
      }
      [current, next] = [next, current];
      next.clear();
      at = after;
    }
  }

  /** Adds a step and all that it leads to without reading on. True when that is the end. */
  #follow(ways: Ways, from: number, text: string, at: number): boolean {
    const open = [from];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (!ways.add(number)) continue;
      const step = this.#steps[number];
      switch (step?.kind) {
        case "found":
          return true;
        case "split":
          open.push(step.second, step.first);
          break;
        case "at":
          if (holds(step.place, text, at)) open.push(step.next);
          break;
        case "one":
        case undefined:
      }
    }
    return false;
  }

  /** Compiles a part so that step `next` follows it; gives the step it begins with. */
  #compile(part: Part, next: number): number {
    switch (part.kind) {
      case "one":
        return this.#add({ kind: "one", matches: onePoint(part.source), next });
      case "at":
        return this.#add({ kind: "at", place: part.place, next });
      case "all":
        return part.parts.reduceRight((after, each) => this.#compile(each, after), next);
      case "any":
        return part.options
          .map((each) => this.#compile(each, next))
          .reduceRight((second, first) => this.#add({ kind: "split", first, second }));
      case "times":
        return this.#times(part.part, part.min, part.max, next);
    }
  }

  #times(part: Part, min: number, max: number, next: number): number {
    let from = next;
    if (max === Infinity) {
      const loop: Step = { kind: "split", first: next, second: next };
      from = this.#add(loop);
      loop.first = this.#compile(part, from);
    } else {
      for (let n = min; n < max; n += 1) {
        from = this.#add({ kind: "split", first: this.#compile(part, from), second: next });
      }
    }
    for (let n = 0; n < min; n += 1) from = this.#compile(part, from);
    return from;
  }

  #add(step: Step): number {
    if (this.#steps.length >= MOST_STEPS) throw new NotLinear("it is too large");
    return this.#steps.push(step) - 1;
  }
}

/** A set of steps, in the order in which they were added, that is emptied at no cost. */
class Ways {
  size = 0;
  readonly #members: Uint16Array;
  readonly #place: Uint16Array;

  constructor(capacity: number) {
    this.#members = new Uint16Array(capacity);
    this.#place = new Uint16Array(capacity);
  }

  at(index: number): number {
    return this.#members[index] ?? 0;
  }

  /** False if it was in already. */
  add(number: number): boolean {
    const place = this.#place[number] ?? 0;
    if (place < this.size && this.#members[place] === number) return false;
    this.#place[number] = this.size;
    this.#members[this.size] = number;
    this.size += 1;
    return true;
  }

  clear(): void {
    this.size = 0;
  }
}

const ASCII = 128;

/** Whether a code point is what the source of one stands for. */
function onePoint(source: string): (point: number) => boolean {
  const first = source.codePointAt(0);
  if (first !== 0x5c && first !== 0x5b && first !== 0x2e) return (point) => point === first;
  const pattern = new RegExp(`^${source}$`, "u");
  const test = (point: number): boolean => pattern.test(String.fromCodePoint(point));
  const ascii = Array.from({ length: ASCII }, (_, point) => test(point));
  return (point) => (point < ASCII ? ascii[point] === true : test(point));
}

function holds(place: Place, text: string, at: number): boolean {
  if (place === "start") return at === 0;
  if (place === "end") return at === text.length;
  const boundary = isWord(text[at - 1]) !== isWord(text[at]);
  return place === "boundary" ? boundary : !boundary;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
