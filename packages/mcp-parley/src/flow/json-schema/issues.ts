import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ErrorObject } from "ajv";
import { quoted } from "../../protocol/json.js";

/** The most issues worth telling: who mends ten will be told the next ten. */
const MOST = 10;

/** What Ajv found, in words for a model that may mend it. Holds names, never values. */
export function issuesOf(errors: readonly ErrorObject[]): StandardSchemaV1.Issue[] {
  const said = new Set<string>();
  const issues: StandardSchemaV1.Issue[] = [];
  for (const error of errors) {
    // `if` only repeats what its then or else has said.
    if (error.keyword === "if" && errors.length > 1) continue;
    const path = segmentsOf(error.instancePath);
    const message = inWords(error);
    const key = JSON.stringify([path, message]);
    if (said.has(key)) continue;
    said.add(key);
    issues.push(path.length === 0 ? { message } : { message, path });
    if (issues.length === MOST) break;
  }
  return issues;
}

function inWords({ keyword, message = "does not fit", params }: ErrorObject): string {
  const given = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case "additionalProperties":
      return `${message}: ${nameIn(given["additionalProperty"])}`;
    case "unevaluatedProperties":
      return `must NOT have additional properties: ${nameIn(given["unevaluatedProperty"])}`;
    case "propertyNames":
      return `has a property whose name is not allowed: ${nameIn(given["propertyName"])}`;
    case "enum":
      return `must be one of ${json(given["allowedValues"])}`;
    case "const":
      return `must be ${json(given["allowedValue"])}`;
    case "false schema":
      return "is not allowed";
    default:
      return message;
  }
}

function nameIn(name: unknown): string {
  return quoted(String(name));
}

function json(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The segments of a JSON Pointer, each shortened: they may be the caller's. */
function segmentsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((each) => each.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((each) => (each.length > 64 ? `${each.slice(0, 64)}…` : each));
}
