import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { ParleyError } from "../protocol/errors.js";
import { isObject } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";

/** A schema that can both validate and say itself in JSON Schema: zod 4, ArkType, Valibot by its converter. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> &
    StandardJSONSchemaV1.Props<Input, Output>;
}

/** What a schema takes. */
export type InputOf<S extends StandardSchema> = StandardSchemaV1.InferInput<S>;

/** What a schema gives. */
export type OutputOf<S extends StandardSchema> = StandardSchemaV1.InferOutput<S>;

/** What validating came to. Issues are in words for a person. */
export type Validated<T> = { ok: true; value: T } | { ok: false; issues: readonly string[] };

/** True for anything that follows Standard Schema, with or without JSON Schema. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  // ArkType's schemas are functions.
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    "~standard" in value
  );
}

const converted = new WeakMap<object, Record<string, unknown>>();

/** A schema's JSON Schema for what it takes, made once per schema. Throws `question_invalid`. */
export function jsonSchemaOf(schema: unknown): Record<string, unknown> {
  if (!isStandardSchema(schema)) {
    if (isObject(schema)) return schema;
    throw new ParleyError("usage", "A schema is a Standard Schema or a JSON Schema object");
  }
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const props = schema["~standard"] as Partial<StandardJSONSchemaV1.Props>;
  if (props.jsonSchema === undefined) {
    throw new ParleyError(
      "usage",
      `This ${schema["~standard"].vendor} schema cannot say itself in JSON Schema. ` +
        (schema["~standard"].vendor === "valibot"
          ? "Wrap it in toStandardJsonSchema from @valibot/to-json-schema."
          : "Use a version of the library that implements Standard JSON Schema, or give JSON Schema."),
    );
  }
  let result: Record<string, unknown>;
  try {
    result = props.jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    throw new ParleyError("usage", "This schema cannot be said in JSON Schema", { cause });
  }
  converted.set(schema, result);
  return result;
}

/** Validates by the schema's own means. */
export function validate<T>(
  schema: StandardSchemaV1<unknown, T>,
  value: unknown,
): Awaitable<Validated<T>> {
  const outcome = schema["~standard"].validate(value);
  return outcome instanceof Promise ? outcome.then(asValidated) : asValidated(outcome);
}

function asValidated<T>(outcome: StandardSchemaV1.Result<T>): Validated<T> {
  if (outcome.issues === undefined) return { ok: true, value: outcome.value };
  return { ok: false, issues: outcome.issues.map(inWords) };
}

function inWords(issue: StandardSchemaV1.Issue): string {
  const path = issue.path?.map((segment) =>
    String(typeof segment === "object" ? segment.key : segment),
  );
  return path === undefined || path.length === 0
    ? issue.message
    : `${path.join(".")}: ${issue.message}`;
}
