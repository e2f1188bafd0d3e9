/**
 * JSON Schema by way of Ajv. Specification: basic/index, JSON Schema Usage.
 *
 * 1. Nothing is ever fetched: a reference that leaves the schema is refused when it is made.
 * 2. No value and no schema takes for ever: both are bounded, and so is the work between them.
 * 3. A dialect that is not known is refused, never guessed.
 */
import { _, Ajv } from "ajv";
import type { Options, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { ParleyError, isParleyError } from "../../protocol/errors.js";
import { isObject, quoted } from "../../protocol/json.js";
import { canonicalJson } from "../../state/canonical.js";
import type { StandardSchema } from "../schema.js";
import { STEP, guarded } from "./guard.js";
import { issuesOf } from "./issues.js";
import { NotLinear, linearPattern } from "./pattern.js";
import type { Pattern } from "./pattern.js";
import { Overspent, Work } from "./work.js";

/** How much work one value may take before it is refused. */
const STEPS = 10_000_000;
/** How much work may go into telling everything that is wrong, rather than the first thing. */
const STEPS_TO_TELL = 400_000;
/** What one use of a subschema costs: each may leave an error behind until all have been tried. */
const PER_SUBSCHEMA = 20;

/** Makes what checks in one dialect. */
type Dialect = (options: Options) => Ajv | Ajv2020;

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["https://json-schema.org/draft/2020-12/schema", (options) => new Ajv2020(options)],
  ["http://json-schema.org/draft-07/schema", (options) => new Ajv(options)],
] as [string, Dialect][]);

const DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Judges schemas against their own dialect; schemas themselves go to instances of their own. */
const judges = new Map<Dialect, Ajv | Ajv2020>();

/** What makes a schema out of a JSON Schema object. Published by its entry, which says more. */
export function jsonSchema<T>(schema: Readonly<Record<string, unknown>>): StandardSchema<T> {
  const { shown, check } = compiled(schema);
  const say = (): Record<string, unknown> => shown;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-parley",
      validate: (value) => check(value) as StandardSchemaV1.Result<T>,
      jsonSchema: { input: say, output: say },
    },
  };
}

type Check = (value: unknown) => StandardSchemaV1.Result<unknown>;

function compiled(given: unknown): { shown: Record<string, unknown>; check: Check } {
  if (!isObject(given)) throw new ParleyError("usage", "A JSON Schema is an object");
  const dialect = dialectOf(given);
  // Measured before anything that recurses without looking touches it.
  const paying = guarded(given);
  const shown = structuredClone(given);
  judge(dialect, shown);
  const work = new Work();
  const first = compile(dialect, paying, work, false);
  let every: ValidateFunction | undefined;
  return {
    shown,
    check(value) {
      try {
        work.allow(STEPS);
        if (first(value)) return { value };
      } catch (error) {
        return { issues: [{ message: whyUnchecked(error) }] };
      }
      const found = first.errors ?? [];
      try {
        every ??= compile(dialect, paying, work, true);
        work.allow(STEPS_TO_TELL);
        every(value);
        return { issues: issuesOf(every.errors ?? found) };
      } catch {
        return { issues: issuesOf(found) };
      }
    },
  };
}

function dialectOf(schema: Readonly<Record<string, unknown>>): Dialect {
  const named = schema["$schema"] ?? DEFAULT_DIALECT;
  const dialect = typeof named === "string" ? DIALECTS.get(named.replace(/#$/, "")) : undefined;
  if (dialect !== undefined) return dialect;
  throw new ParleyError(
    "usage",
    `The dialect ${quoted(JSON.stringify(named))} is not supported: use 2020-12, which needs no $schema, or draft-07`,
  );
}

function judge(dialect: Dialect, schema: Record<string, unknown>): void {
  let judging = judges.get(dialect);
  if (judging === undefined) {
    judging = dialect({ strict: false, logger: false, validateFormats: false });
    judges.set(dialect, judging);
  }
  if (judging.validateSchema(schema) === true) return;
  const [issue] = issuesOf(judging.errors ?? []);
  const where = (issue?.path ?? []).map(String).join("/");
  throw new ParleyError(
    "usage",
    `This is no valid JSON Schema: #/${where} ${issue?.message ?? "does not fit"}`,
  );
}

function compile(
  dialect: Dialect,
  schema: Record<string, unknown>,
  work: Work,
  allErrors: boolean,
): ValidateFunction {
  const options: Options = {
    strict: false,
    logger: false,
    // `format` says what a text is meant to be; in 2020-12 it is no assertion.
    validateFormats: false,
    validateSchema: false,
    allErrors,
    code: { regExp: linear(work) },
  };
  const ajv = dialect(options);
  const pay = (): void => work.spend(PER_SUBSCHEMA);
  ajv.addKeyword({
    keyword: STEP,
    // Paid before anything is looked at: what fails would not come to it any more.
    before: "$ref",
    code: ({ gen }) => {
      gen.code(_`${gen.scopeValue("func", { ref: pay })}()`);
    },
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must not hold the same item twice" },
    validate: (on: boolean, items: readonly unknown[]) => !on || areUnique(items, work),
  });
  try {
    return ajv.compile(schema);
  } catch (error) {
    throw isParleyError(error) ? error : uncompiled(error);
  }
}

function linear(work: Work): NonNullable<NonNullable<Options["code"]>["regExp"]> {
  const engine = (source: string): Pattern => {
    try {
      return linearPattern(source, work);
    } catch (error) {
      if (!(error instanceof NotLinear || error instanceof SyntaxError)) throw error;
      throw new ParleyError(
        "usage",
        `The pattern ${quoted(source)} can't be used: ${error.message}. Check it in the handler instead`,
        { cause: error },
      );
    }
  };
  // Only for code that Ajv writes out to be run elsewhere, which is never done here.
  return Object.assign(engine, { code: "parley pattern" });
}

/** Ajv compares each with each, which a long list turns into a very long time. */
function areUnique(items: readonly unknown[], work: Work): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const text = canonicalJson(item, 128);
    if (text === undefined) throw new Overspent();
    work.spend(1 + text.length / 16);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

function whyUnchecked(error: unknown): string {
  return error instanceof Overspent
    ? "is too large or too deep to be checked"
    : "could not be checked";
}

function uncompiled(error: unknown): ParleyError<"usage"> {
  const missing = error instanceof Ajv.MissingRefError ? error.missingRef : undefined;
  const message =
    missing === undefined
      ? `This JSON Schema can't be used: ${error instanceof Error ? error.message : String(error)}`
      : `This JSON Schema refers to ${quoted(missing)}, which is not in it. Nothing is fetched: put it under $defs`;
  return new ParleyError("usage", message, { cause: error });
}
