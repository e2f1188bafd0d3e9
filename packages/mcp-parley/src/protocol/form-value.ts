import type { FormValue, PrimitiveSchema } from "./elicitation.js";
import { isTexts } from "./json.js";
import { hasFormat } from "./formats.js";

/** True for a value a form can give, whatever the field. */
export function isFormValue(value: unknown): value is FormValue {
  return (
    typeof value === "string" ||
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value)) ||
    isTexts(value)
  );
}

/** What is wrong with a value for that field, to be read after the field's name; or undefined. */
export function checkValue(field: PrimitiveSchema, value: unknown): string | undefined {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "has to be true or false";
    case "number":
    case "integer":
      return checkNumber(field, value);
    case "array":
      return checkSelection(field, value);
    case "string":
      if (typeof value !== "string") return "has to be text";
      return isChoice(field) ? checkChoice(choicesOf(field), value) : checkText(field, value);
  }
}

type Field<Type> = Extract<PrimitiveSchema, { type: Type }>;
type Choice = Extract<Field<"string">, { enum: string[] } | { oneOf: unknown[] }>;

function isChoice(field: Field<"string">): field is Choice {
  return Object.hasOwn(field, "enum") || Object.hasOwn(field, "oneOf");
}

function choicesOf(field: Choice): string[] {
  return "oneOf" in field ? field.oneOf.map((option) => option.const) : field.enum;
}

function checkChoice(choices: readonly string[], value: string): string | undefined {
  return choices.includes(value) ? undefined : "has to be one of its choices";
}

function checkText(
  { minLength = 0, maxLength = Infinity, format }: Exclude<Field<"string">, Choice>,
  text: string,
): string | undefined {
  if (isShorter(text, minLength)) return `has to have at least ${minLength} characters`;
  if (text.length > maxLength && !isShorter(text, maxLength + 1)) {
    return `has to have at most ${maxLength} characters`;
  }
  if (format !== undefined && !hasFormat(format, text)) return FORMAT_WANTED[format];
  return undefined;
}

const FORMAT_WANTED = {
  email: "has to be an email address",
  uri: "has to be an absolute URI",
  date: "has to be a date, such as 2026-07-28",
  "date-time": "has to be a date and time with its offset, such as 2026-07-28T12:00:00Z",
};

/** Whether the text has fewer than `length` code points; a pair of surrogates is one. */
function isShorter(text: string, length: number): boolean {
  if (text.length < length) return true;
  if (text.length >= 2 * length) return false;
  return Array.from(text).length < length;
}

function checkNumber(
  { type, minimum = -Infinity, maximum = Infinity }: Field<"number" | "integer">,
  value: unknown,
): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "has to be a number";
  if (type === "integer" && !Number.isSafeInteger(value)) return "has to be a whole number";
  if (value < minimum) return `has to be at least ${minimum}`;
  if (value > maximum) return `has to be at most ${maximum}`;
  return undefined;
}

function checkSelection(
  { items, minItems = 0, maxItems = Infinity }: Field<"array">,
  value: unknown,
): string | undefined {
  if (!Array.isArray(value)) return "has to be a list of its choices";
  const choices: unknown[] =
    "anyOf" in items ? items.anyOf.map((option) => option.const) : items.enum;
  if (!value.every((item) => choices.includes(item))) return "has to be a list of its choices";
  if (new Set(value).size < value.length) return "has to name each choice once";
  if (value.length < minItems) return `has to have at least ${minItems} choices`;
  if (value.length > maxItems) return `has to have at most ${maxItems} choices`;
  return undefined;
}
