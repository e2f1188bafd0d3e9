import { ParleyError } from "../protocol/errors.js";
import { isWellFormed } from "../state/canonical.js";

/** Longest key of a question, an effect or a kept value, in characters. */
export const LONGEST_KEY = 128;

/** Refuses, with `usage`, what cannot be the key of a question, an effect or a kept value. */
export function checkKey(key: unknown): void {
  if (typeof key !== "string" || key === "" || key.length > LONGEST_KEY || !isWellFormed(key)) {
    throw new ParleyError("usage", `A key is a string of 1 to ${String(LONGEST_KEY)} characters`);
  }
}
