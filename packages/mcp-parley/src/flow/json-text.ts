import { ParleyError } from "../protocol/errors.js";
import type { JSONValue } from "../protocol/json.js";

/**
 * What a handler's value is as JSON, and `undefined` for what JSON leaves out. `value_invalid` for
 * one that can't be written, such as one that holds itself.
 */
export function jsonText(key: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new ParleyError("value_invalid", `'${key}' gave a value that is not JSON`, { cause });
  }
}

/** A length that a value's JSON text does not exceed, in characters, without writing it. */
export function textAtMost(value: JSONValue): number {
  switch (typeof value) {
    case "string":
      // Everything may have to be escaped.
      return 6 * value.length + 2;
    case "object": {
      if (value === null) return 4;
      let most = 2;
      if (Array.isArray(value)) {
        for (const item of value) most += textAtMost(item) + 1;
      } else {
        for (const [name, member] of Object.entries(value)) {
          most += textAtMost(name) + textAtMost(member) + 2;
        }
      }
      return most;
    }
    default:
      // The longest number there is has 24.
      return 24;
  }
}
