import type { ClientCapabilities } from "../../protocol/capabilities.js";
import type { FormContent, FormSchema, FormValue } from "../../protocol/elicitation.js";
import type { InputResponse } from "../../protocol/input.js";
import type { Awaitable } from "../../protocol/json.js";
import { ParleyError } from "../../protocol/errors.js";
import { checkFormSchema, validateContent } from "../../protocol/form.js";
import { keepLatest } from "../../protocol/keep-latest.js";
import { ELICIT } from "../../protocol/methods.js";
import { Asking } from "../question.js";
import type { Putting, Question, Reading } from "../question.js";
import { isStandardSchema, jsonSchemaOf, validate } from "../schema.js";
import type { InputOf, OutputOf, StandardSchema, Validated } from "../schema.js";

/** How a form is put. */
export interface FormOptions {
  /**
   * Lets an answer that comes with the first call count, before the question was ever put: for
   * callers that know what will be asked. Default false. Never for a consent.
   */
  readonly upFront?: boolean;
}

type Unaskable<I> = {
  [K in keyof I]-?: Exclude<I[K], undefined> extends FormValue | readonly string[] ? never : K;
}[keyof I];

/** Fails to compile, naming them, where a schema has fields that a flat form cannot ask for. */
export type Flat<S extends StandardSchema> = [Unaskable<InputOf<S>>] extends [never]
  ? unknown
  : { "a form cannot ask for": Unaskable<InputOf<S>> };

/**
 * A question the user answers in a form. Without a schema it is a plain yes, and the answer is
 * `true`. With one, the answer is what the schema gives; an accepted answer that breaks it is
 * asked for again, with the reason.
 *
 * The schema is a Standard Schema that can say itself in JSON Schema (zod 4, ArkType, Valibot
 * through its converter), or JSON Schema itself, and flat: text, numbers, yes or no, and choices.
 * Make it once, outside the handler, and its conversion is done once. Throws `question_invalid`,
 * naming the field, for what the protocol's form cannot ask. Never ask for secrets in a form:
 * that is what a link is for. Specification: client/elicitation, Form Mode.
 */
export function form(message: string, schema?: undefined, options?: FormOptions): Question<true>;
export function form<S extends StandardSchema>(
  message: string,
  schema: S & Flat<S>,
  options?: FormOptions,
): Question<OutputOf<S>>;
export function form(
  message: string,
  schema: FormSchema,
  options?: FormOptions,
): Question<FormContent>;
export function form(
  message: string,
  schema?: StandardSchema | FormSchema,
  options: FormOptions = {},
): Question<unknown> {
  if (typeof message !== "string" || message === "") {
    throw new ParleyError("question_invalid", "A form needs a message that says what is asked");
  }
  const fields = fieldsOf(schema);
  return options.upFront === true ? new Form(message, fields, true) : usual(message, fields);
}

/** How many questions are kept for each schema, and the longest message of one, in characters. */
const KEPT = 8;
const LONGEST_KEPT = 256;

/**
 * The same question where the same is asked: a handler makes its questions anew in every run, and
 * each of them would be written and digested again.
 */
function usual(message: string, fields: Fields): Form {
  const known = fields.asked.get(message);
  if (known !== undefined) return known;
  const made = new Form(message, fields, false);
  if (message.length <= LONGEST_KEPT) keepLatest(fields.asked, message, made, KEPT);
  return made;
}

/** The fields of a form, prepared once per schema. */
interface Fields {
  readonly schema: FormSchema;
  readonly text: string;
  readonly validate: (content: FormContent) => Awaitable<Validated<unknown>>;
  /** Questions asked with them of late, by their messages. */
  readonly asked: Map<string, Form>;
}

const PLAIN_YES: Fields = {
  schema: { type: "object", properties: {} },
  text: '{"type":"object","properties":{}}',
  validate: () => ({ ok: true, value: true }),
  asked: new Map(),
};

const prepared = new WeakMap<object, Fields>();

function fieldsOf(schema: StandardSchema | FormSchema | undefined): Fields {
  if (schema === undefined) return PLAIN_YES;
  const known = prepared.get(schema);
  if (known !== undefined) return known;
  const checked = checkFormSchema(jsonSchemaOf(schema));
  if (!checked.ok) {
    const field = checked.field === undefined ? "This schema" : `Field '${checked.field}'`;
    throw new ParleyError(
      "question_invalid",
      `${field} cannot be asked in a form: ${checked.why}. A form is flat: text, numbers, yes or no, and choices.`,
    );
  }
  const wire = checked.schema;
  const fields: Fields = {
    schema: wire,
    text: JSON.stringify(wire),
    validate: isStandardSchema(schema)
      ? (content) => validate(schema, content)
      : (content) => validateFlat(wire, content),
    asked: new Map(),
  };
  prepared.set(schema, fields);
  return fields;
}

function validateFlat(schema: FormSchema, content: FormContent): Validated<FormContent> {
  const checked = validateContent(schema, content);
  if (checked.ok) return { ok: true, value: checked.content };
  return {
    ok: false,
    issues: checked.issues.map(({ field, why }) =>
      field === undefined ? why : `${field}: ${why}`,
    ),
  };
}

const REQUIRES: ClientCapabilities = { elicitation: { form: {} } };

class Form extends Asking<unknown> {
  readonly kind = "form";
  readonly requires = REQUIRES;
  readonly #message: string;
  readonly #fields: Fields;

  constructor(message: string, fields: Fields, upFront: boolean) {
    super(upFront);
    this.#message = message;
    this.#fields = fields;
  }

  wire({ reason, defaults }: Putting): string {
    const message = reason === undefined ? this.#message : `${this.#message}\n\n${reason}`;
    const schema =
      defaults === undefined
        ? this.#fields.text
        : JSON.stringify(withDefaults(this.#fields.schema, defaults));
    return `{"method":"${ELICIT}","params":{"mode":"form","message":${JSON.stringify(message)},"requestedSchema":${schema}}}`;
  }

  read(response: InputResponse): Awaitable<Reading<unknown>> {
    if (!("action" in response)) return { invalid: "The answer was not a form's answer." };
    if (response.action !== "accept") return { answer: { action: response.action } };
    const validated = this.#fields.validate(response.content ?? {});
    return validated instanceof Promise
      ? validated.then(asReading)
      : asReading(validated as Validated<unknown>);
  }

  override get fieldNames(): readonly string[] {
    return Object.keys(this.#fields.schema.properties);
  }
}

function asReading(validated: Validated<unknown>): Reading<unknown> {
  if (validated.ok) return { answer: { action: "accept", content: validated.value } };
  return { invalid: `That answer does not fit. ${validated.issues.join("; ").slice(0, 500)}` };
}

function withDefaults(schema: FormSchema, defaults: FormContent): FormSchema {
  const properties = { ...schema.properties };
  for (const [field, value] of Object.entries(defaults)) {
    const property = Object.hasOwn(properties, field) ? properties[field] : undefined;
    if (property === undefined) continue;
    const offered = { ...property, default: value } as typeof property;
    const fits = validateContent(
      { type: "object", properties: { [field]: property } },
      { [field]: value },
    );
    if (fits.ok) properties[field] = offered;
  }
  return { ...schema, properties };
}
