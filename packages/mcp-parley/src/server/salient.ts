import { ParleyError } from "../protocol/errors.js";
import { isObject } from "../protocol/json.js";

/** With any of these a schema may have members its `properties` do not list. */
const OPEN = ["patternProperties", "anyOf", "oneOf", "allOf", "$ref", "$dynamicRef", "if"];

/**
 * Throws `usage` where a tool or prompt names a salient argument that it does not have: misspelt,
 * it would bind no state to anything, and an approval of one thing would do for another.
 */
export function checkSalient(
  what: string,
  salient: readonly string[] | undefined,
  schema: Readonly<Record<string, unknown>> | undefined,
): void {
  const { properties, additionalProperties = false } = schema ?? {};
  if (salient === undefined || schema === undefined || !isObject(properties)) return;
  if (additionalProperties !== false || OPEN.some((word) => word in schema)) return;
  const unknown = salient.find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return;
  throw new ParleyError(
    "usage",
    `${what}: salient names '${unknown}', which is none of its arguments: ${Object.keys(properties).join(", ")}`,
  );
}
