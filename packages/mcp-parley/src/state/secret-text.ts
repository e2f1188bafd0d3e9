import { INSPECT } from "./ring-key.js";

/** A text that is shown by nothing but `reveal`: not printed, not inspected, not as JSON. */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "(secret)";
  }

  toJSON(): undefined {
    return undefined;
  }

  [INSPECT](): string {
    return this.toString();
  }
}
