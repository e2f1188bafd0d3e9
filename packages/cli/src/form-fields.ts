import type {
  FormSchema,
  FormValue,
  PrimitiveSchema,
  StringSchema,
  NumberSchema,
} from "mcp-parley/client";
import { oneLine } from "./plain.js";

/** One of the values a choice offers. */
export interface Choice {
  readonly value: string;
  /** What the user sees. */
  readonly label: string;
}

/** A field of a form, as a person is asked for it. Its texts are plain already. */
export type Field = {
  /** Its name in the content: as the server wrote it. */
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  /** What fits, in words; empty where anything does. */
  readonly takes: string;
  readonly initial: FormValue | undefined;
  readonly schema: PrimitiveSchema;
} & (
  | { readonly kind: "text" | "number" | "yes-no" }
  | { readonly kind: "choice" | "choices"; readonly choices: readonly Choice[] }
);

/** The fields of a form, in its order. */
export function fieldsOf(schema: FormSchema): Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, field]) => {
    const common = {
      name,
      label: oneLine(field.title ?? name),
      description: field.description === undefined ? undefined : oneLine(field.description, 600),
      required: required.has(name),
      initial: field.default,
      schema: field,
    };
    switch (field.type) {
      case "boolean":
        return { ...common, kind: "yes-no", takes: "yes or no" };
      case "number":
      case "integer":
        return { ...common, kind: "number", takes: numberInWords(field) };
      case "array": {
        const choices =
          "anyOf" in field.items ? field.items.anyOf.map(titled) : field.items.enum.map(untitled);
        return { ...common, kind: "choices", choices, takes: countInWords(field) };
      }
      case "string": {
        const choices = choicesOf(field);
        return choices === undefined
          ? { ...common, kind: "text", takes: textInWords(field) }
          : { ...common, kind: "choice", choices, takes: "one of a list" };
      }
    }
  });
}

function choicesOf(field: PrimitiveSchema & { type: "string" }): Choice[] | undefined {
  if ("oneOf" in field) return field.oneOf.map(titled);
  if (!("enum" in field)) return undefined;
  const names = "enumNames" in field ? (field.enumNames ?? []) : [];
  return field.enum.map((value, at) => ({ value, label: oneLine(names[at] ?? value) }));
}

function titled({ const: value, title }: { const: string; title: string }): Choice {
  return { value, label: oneLine(title) };
}

function untitled(value: string): Choice {
  return { value, label: oneLine(value) };
}

function textInWords({ format, minLength, maxLength }: StringSchema): string {
  const formats = {
    email: "an email address",
    uri: "a full URL",
    date: "a date, as 2026-07-28",
    "date-time": "a date and time, as 2026-07-28T10:00:00Z",
  };
  const length = rangeInWords(minLength === 0 ? undefined : minLength, maxLength);
  return [
    ...(format === undefined ? [] : [formats[format]]),
    ...(length === "" ? [] : [`${length} characters`]),
  ].join(", ");
}

function numberInWords({ type, minimum, maximum }: NumberSchema): string {
  const range = rangeInWords(minimum, maximum);
  return [type === "integer" ? "a whole number" : "a number", range].filter(Boolean).join(", ");
}

function countInWords({ minItems, maxItems }: { minItems?: unknown; maxItems?: unknown }): string {
  const range = rangeInWords(
    typeof minItems === "number" && minItems > 0 ? minItems : undefined,
    typeof maxItems === "number" ? maxItems : undefined,
  );
  return range === "" ? "any of a list" : `${range} of a list`;
}

function rangeInWords(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) {
    return least === most ? `exactly ${least}` : `${least} to ${most}`;
  }
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? "" : `at most ${most}`;
}

/** A value as the user is shown it, on one line. */
export function inWords(field: Field, value: FormValue | undefined): string {
  if (value === undefined) return "";
  switch (field.kind) {
    case "yes-no":
      return value === true ? "Yes" : "No";
    case "choice":
    case "choices": {
      const values = Array.isArray(value) ? value : [value];
      const labels = values.map(
        (one) =>
          field.choices.find((choice) => choice.value === one)?.label ?? oneLine(String(one)),
      );
      return labels.length === 0 ? "none" : labels.join(", ");
    }
    default:
      return oneLine(String(value));
  }
}
