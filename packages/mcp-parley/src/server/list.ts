import type { CacheHints } from "../protocol/features.js";
import type { ResultText } from "./result-text.js";

/** A list a client can ask for, in the order things were added; its result is made once. */
export class List<T> {
  readonly #name: string;
  readonly #hints: CacheHints;
  readonly #results: ResultText;
  readonly #items: T[] = [];
  #text: string | undefined;

  constructor(name: string, hints: CacheHints, results: ResultText) {
    this.#name = name;
    this.#hints = hints;
    this.#results = results;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#text = undefined;
  }

  /** The complete result, as JSON text. */
  result(): string {
    return (this.#text ??= this.#results.complete({ [this.#name]: this.#items }, this.#hints));
  }
}
