/**
 * Looks a schema over before it is compiled.
 *
 * 1. It is small enough: in depth, in subschemas, in members.
 * 2. Every place that could be used as a subschema pays for its use. So what can be reached through
 *    a reference can't run unpaid; a reference inside plain data is refused.
 * 3. It speaks one dialect throughout.
 */
import { ParleyError } from "../../protocol/errors.js";
import { isObject, quoted } from "../../protocol/json.js";

/** The keyword by which a subschema pays for its use. Only copies have it. */
export const STEP = "parley-step";

const DEPTH = 64;
const SUBSCHEMAS = 2_000;
const MEMBERS = 50_000;

/** Keywords whose members are named by the author, each of them a schema. */
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** Keywords that hold data. */
const DATA: ReadonlySet<string> = new Set(["const", "enum"]);

/** A copy in which every subschema pays. Throws `usage` for what is too large, deep or mixed. */
export function guarded(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return new Guard(schema["$schema"]).schema(schema, 0);
}

class Guard {
  readonly #dialect: unknown;
  #subschemas = 0;
  #members = 0;

  constructor(dialect: unknown) {
    this.#dialect = dialect;
  }

  schema(schema: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
    if (++this.#subschemas > SUBSCHEMAS) throw tooLarge(`more than ${SUBSCHEMAS} subschemas`);
    if (Object.hasOwn(schema, "$schema") && schema["$schema"] !== this.#dialect) {
      throw new ParleyError("usage", "This JSON Schema mixes dialects: use one $schema throughout");
    }
    const copy: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      put(copy, keyword, this.#keyword(keyword, value, depth + 1));
    }
    copy[STEP] = true;
    return copy;
  }

  #keyword(keyword: string, value: unknown, depth: number): unknown {
    if (DATA.has(keyword)) return this.#data(value, depth);
    if (!MAPS.has(keyword) || !isObject(value)) return this.#value(value, depth);
    this.#deeper(depth);
    const copy: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(value)) put(copy, name, this.#value(each, depth + 1));
    return copy;
  }

  /** Of a keyword that is not known, too, it may be that a reference points into it. */
  #value(value: unknown, depth: number): unknown {
    this.#deeper(depth);
    if (Array.isArray(value)) return value.map((each: unknown) => this.#value(each, depth + 1));
    return isObject(value) ? this.schema(value, depth) : value;
  }

  #data(value: unknown, depth: number): unknown {
    this.#deeper(depth);
    if (Array.isArray(value)) return value.map((each: unknown) => this.#data(each, depth + 1));
    if (!isObject(value)) return value;
    const copy: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(value)) {
      if (name === "$ref" || name === "$dynamicRef") {
        throw new ParleyError("usage", `This JSON Schema has a ${name} inside const or enum`);
      }
      put(copy, name, this.#data(each, depth + 1));
    }
    return copy;
  }

  #deeper(depth: number): void {
    if (depth > DEPTH) throw tooLarge(`nesting deeper than ${DEPTH}`);
    if (++this.#members > MEMBERS) throw tooLarge(`more than ${MEMBERS} members`);
  }
}

function put(object: Record<string, unknown>, name: string, value: unknown): void {
  // Ajv leaves this name out, and what a schema says of it would silently not be checked.
  if (name === "__proto__" || name === STEP) {
    throw new ParleyError(
      "usage",
      `This JSON Schema uses the name ${quoted(name)}, which it can't`,
    );
  }
  object[name] = value;
}

function tooLarge(what: string): ParleyError<"usage"> {
  return new ParleyError("usage", `This JSON Schema is too large: ${what}`);
}
