import {
  type About,
  type ElicitRequestFormParams,
  type ElicitResult,
  type FormContent,
  type FormSchema,
  type FormValue,
  validateContent,
} from "mcp-parley/client";
import { askField, fits } from "./ask-field.js";
import { WITHOUT_ANSWER, introduce } from "./asked.js";
import { type Dialog, LEFT } from "./dialog.js";
import { type Field, fieldsOf, inWords } from "./form-fields.js";

/**
 * Asks a person to fill in a form. `before` is what they said when it was asked before: they need
 * not type it again.
 *
 * 1. Nothing is sent that was not shown and confirmed: what is accepted was reviewed as it goes out.
 * 2. Declining and cancelling are offered with every review, and Escape leads there from any field.
 * 3. What is accepted fits the form.
 */
export async function askForm(
  question: ElicitRequestFormParams,
  about: About,
  dialog: Dialog,
  before: FormContent = {},
): Promise<ElicitResult> {
  await introduce("asks you something", question.message, about, dialog);
  const fields = fieldsOf(question.requestedSchema);
  const answer =
    fields.length === 0
      ? await askPlainly(dialog, about.signal)
      : await new Form(question.requestedSchema, fields, before, dialog, about.signal).fill();
  dialog.close(dialog.paint("dim", OUTCOMES[answer.action]));
  return answer;
}

const OUTCOMES = { accept: "Sent.", decline: "Declined.", cancel: "Cancelled." };

/** A form without fields: all there is to say is yes. */
async function askPlainly(dialog: Dialog, signal: AbortSignal): Promise<ElicitResult> {
  const options = [{ value: "accept", label: "Yes" } as const, ...WITHOUT_ANSWER];
  const action = await dialog.choose("Your answer", options, "accept", signal);
  if (action === LEFT) return { action: "cancel" };
  return action === "accept" ? { action, content: {} } : { action };
}

type Next = "send" | "fill" | "decline" | "cancel" | Field;

class Form {
  readonly #schema: FormSchema;
  readonly #fields: readonly Field[];
  readonly #dialog: Dialog;
  readonly #signal: AbortSignal;
  readonly #values = new Map<string, FormValue>();
  /** The fields that have been asked. */
  readonly #visited = new Set<Field>();

  constructor(
    schema: FormSchema,
    fields: readonly Field[],
    before: FormContent,
    dialog: Dialog,
    signal: AbortSignal,
  ) {
    this.#schema = schema;
    this.#fields = fields;
    this.#dialog = dialog;
    this.#signal = signal;
    for (const field of fields) {
      const said = Object.hasOwn(before, field.name) ? before[field.name] : undefined;
      const initial = said !== undefined && fits(field, said) ? said : field.initial;
      if (initial !== undefined) this.#values.set(field.name, initial);
    }
  }

  async fill(): Promise<ElicitResult> {
    const { paint } = this.#dialog;
    this.#dialog.space();
    this.#dialog.say(paint("dim", "* required · Esc: review, decline or cancel"));
    await this.#askRest();
    for (;;) {
      const next = await this.#review();
      switch (next) {
        case "send":
          return { action: "accept", content: Object.fromEntries(this.#values) };
        case "decline":
        case "cancel":
          return { action: next };
        case "fill":
          await this.#askRest();
          break;
        default:
          await this.#ask(next);
      }
    }
  }

  /** Asks the fields not asked yet, in order, until the user stops. */
  async #askRest(): Promise<void> {
    for (const field of this.#open()) {
      if (!(await this.#ask(field))) return;
    }
  }

  #open(): Field[] {
    return this.#fields.filter((field) => !this.#visited.has(field));
  }

  /** Asks one field; false where the user left it as it was. */
  async #ask(field: Field): Promise<boolean> {
    const value = await askField(field, this.#values.get(field.name), this.#dialog, this.#signal);
    if (value === LEFT) return false;
    this.#visited.add(field);
    if (value === undefined) this.#values.delete(field.name);
    else this.#values.set(field.name, value);
    return true;
  }

  /** Shows what would be sent, and asks what to do with it. */
  async #review(): Promise<Next> {
    const wrong = this.#wrong();
    const width = Math.min(24, Math.max(...this.#fields.map(({ label }) => label.length)));
    this.#dialog.space();
    for (const field of this.#fields) {
      const why = wrong.get(field.name);
      const value = inWords(field, this.#values.get(field.name));
      const said =
        why === undefined
          ? value || this.#dialog.paint("dim", "left out")
          : `${value} ${this.#dialog.paint("yellow", why)}`.trimStart();
      this.#dialog.say(`${this.#dialog.paint("dim", field.label.padEnd(width))}  ${said}`);
    }
    const options: { value: Next; label: string; hint?: string }[] = [];
    if (wrong.size === 0) options.push({ value: "send", label: "Send this" });
    if (this.#open().length > 0) options.push({ value: "fill", label: "Go on filling in" });
    for (const field of this.#fields)
      options.push({ value: field, label: `Change ${field.label}` });
    options.push(...WITHOUT_ANSWER);
    const first = options[0]?.value;
    const next = await this.#dialog.choose("What now?", options, first, this.#signal);
    return next === LEFT ? "cancel" : next;
  }

  /** What is wrong with the form as it stands, by field. */
  #wrong(): Map<string, string> {
    const checked = validateContent(this.#schema, Object.fromEntries(this.#values));
    if (checked.ok) return new Map();
    return new Map(checked.issues.map(({ field, why }) => [field ?? "", why]));
  }
}
