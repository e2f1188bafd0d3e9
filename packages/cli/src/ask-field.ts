import { type FormValue, validateContent } from "mcp-parley/client";
import { type Dialog, LEFT, type Left, type Option } from "./dialog.js";
import type { Choice, Field } from "./form-fields.js";
import { oneLine } from "./plain.js";

/** What a field comes to: a value, undefined where it is left out, or LEFT. */
type Filled = FormValue | undefined | Left;

/**
 * Asks for one field and checks the answer in place. `current` is what stands in it. A field that
 * has a default can't be left out: the default would go out in its place.
 */
export async function askField(
  field: Field,
  current: FormValue | undefined,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<Filled> {
  warnOfSecrets(field, dialog);
  const label = labelOf(field, dialog);
  switch (field.kind) {
    case "text":
    case "number": {
      // Only what is seen may be sent, so a default's hidden characters have to go.
      const initial = current === undefined ? "" : oneLine(String(current), Infinity);
      const check = (text: string): string | undefined => complaint(field, valueOf(field, text));
      const text = await dialog.text(label, initial, check, signal);
      return text === LEFT ? LEFT : valueOf(field, text);
    }
    case "yes-no": {
      const options = [
        { value: true, label: "Yes" },
        { value: false, label: "No" },
        ...leftOut(field),
      ];
      return dialog.choose(
        label,
        options,
        current === true || current === false ? current : undefined,
        signal,
      );
    }
    case "choice": {
      const options = [...field.choices.map(option), ...leftOut(field)];
      return dialog.choose(label, options, current as string | undefined, signal);
    }
    case "choices":
      return askSeveral(
        field,
        field.choices,
        label,
        Array.isArray(current) ? current : [],
        dialog,
        signal,
      );
  }
}

async function askSeveral(
  field: Field,
  choices: readonly Choice[],
  label: string,
  current: readonly string[],
  dialog: Dialog,
  signal: AbortSignal,
): Promise<Filled> {
  let chosen = current;
  for (;;) {
    const answer = await dialog.chooseSeveral(label, choices.map(option), chosen, signal);
    if (answer === LEFT) return LEFT;
    const value =
      answer.length === 0 && !field.required && field.initial === undefined ? undefined : answer;
    const why = complaint(field, value);
    if (why === undefined) return value;
    dialog.warn(why);
    chosen = answer;
  }
}

/** What is typed into a field, as its value; undefined where it is left empty. */
function valueOf(field: Field, text: string): FormValue | undefined {
  if (field.kind === "number") return text.trim() === "" ? undefined : Number(text);
  if (text !== "") return text;
  return field.initial !== undefined && complaint(field, "") === undefined ? "" : undefined;
}

/** Whether a value is one the field takes. */
export function fits(field: Field, value: FormValue): boolean {
  return complaint(field, value) === undefined;
}

/** What is wrong with a value for the field, as a sentence; undefined where nothing is. */
function complaint(field: Field, value: FormValue | undefined): string | undefined {
  if (value === undefined && field.initial !== undefined) return "Can't be left empty.";
  const content = value === undefined ? {} : { [field.name]: value };
  const checked = validateContent(
    {
      type: "object",
      properties: { [field.name]: field.schema },
      ...(field.required && { required: [field.name] }),
    },
    content,
  );
  if (checked.ok) return undefined;
  const why = checked.issues[0]?.why ?? "does not fit";
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}

function labelOf({ label, description, required, takes, kind }: Field, { paint }: Dialog): string {
  const star = required ? paint("yellow", " *") : "";
  const said = kind === "yes-no" || kind === "choice" ? "" : takes;
  const hint = [description, said].filter(Boolean).join(" · ");
  return `${paint("bold", label)}${star}${hint === "" ? "" : `\n${paint("dim", hint)}`}`;
}

function option({ value, label }: Choice): Option<string> {
  const said = oneLine(value, 60);
  return { value, label, ...(said !== label && { hint: said }) };
}

function leftOut({ required, initial }: Field): { value: undefined; label: string }[] {
  return required || initial !== undefined ? [] : [{ value: undefined, label: "Leave out" }];
}

const SECRET =
  /passw|passphrase|secret|credential|api.?key|access.?token|auth.?token|private.?key|\bpin\b|\bcvv\b|card.?number/i;

/** Servers must not ask for secrets in a form. Specification: client/elicitation, Safe URL Handling. */
function warnOfSecrets({ name, label, description = "" }: Field, dialog: Dialog): void {
  if (!SECRET.test(`${name} ${label} ${description}`)) return;
  dialog.warn("This looks like a secret. No server may ask for one in a form: better decline.");
}
