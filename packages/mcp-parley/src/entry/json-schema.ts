/**
 * JSON Schema objects as schemas of tools, prompts and forms. Needs `ajv`, 8.17 or later, and `re2js`.
 */
import { jsonSchema as make } from "../flow/json-schema/json-schema.js";
import type { StandardSchema } from "../flow/schema.js";

/**
 * Makes a schema out of a JSON Schema object: what it says is what clients are shown, and Ajv
 * checks against it. `T` is what the author knows a fitting value to be; nothing derives it.
 *
 * The dialect is 2020-12, or draft-07 where `$schema` says so. `$ref` reaches what the schema
 * itself holds (`$defs`, `$anchor`, embedded `$id`) and nothing is ever fetched. `format` is not
 * checked. Keywords that are not known, such as `x-mcp-header`, are passed on and check nothing.
 *
 * Bounds: 64 levels, 2,000 subschemas and 50,000 members of a schema; patterns that look around or
 * refer back are refused, and all others take time in proportion to the text; a value that takes
 * too long to check does not fit. Throws `usage` for a schema that is none, whose dialect is not
 * supported, that refers outside itself, or that passes a bound. Ajv makes code of a schema, so
 * this does not run where that is forbidden (Workers, a strict Content-Security-Policy).
 * Specification: basic/index, JSON Schema Usage.
 */
export function jsonSchema<T = unknown>(
  schema: Readonly<Record<string, unknown>>,
): StandardSchema<T> {
  return make<T>(schema);
}

export type { StandardSchema } from "../flow/schema.js";
export { ParleyError, isParleyError } from "../protocol/errors.js";
