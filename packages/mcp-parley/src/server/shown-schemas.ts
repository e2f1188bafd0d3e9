import { ParleyError } from "../protocol/errors.js";
import type { Tool } from "../protocol/features.js";
import { isStandardSchema, jsonSchemaOf } from "../flow/schema.js";

/**
 * What clients are shown of a tool's `inputSchema`: arguments are an object, so its root says so.
 * Throws `usage` for a schema that takes something else. Specification: server/tools, Tool.
 */
export function shownInput(tool: string, schema: unknown): Tool["inputSchema"] {
  if (schema === undefined) return { type: "object" };
  const said = shownSchema(`Tool '${tool}'`, schema);
  if (said["type"] !== undefined && said["type"] !== "object") {
    throw new ParleyError(
      "usage",
      `The inputSchema of tool '${tool}' has to be of type object: arguments have names`,
    );
  }
  return { ...said, type: "object" };
}

/** What a schema says of itself, if it can check anything. Throws `usage`. */
export function shownSchema(what: string, schema: unknown): Record<string, unknown> {
  if (isStandardSchema(schema)) return jsonSchemaOf(schema);
  throw new ParleyError(
    "usage",
    `${what} has a schema that can't check anything: give a Standard Schema, or wrap a JSON Schema in jsonSchema from mcp-parley/json-schema`,
  );
}
