import { ParleyError } from "../protocol/errors.js";

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
