import type { InputRequest } from "mcp-parley/client";
import type { PreparedAnswers } from "./answers-file.js";
import { kindInWords } from "./asked.js";
import { CommandError, EXIT } from "./exit.js";
import { type Field, fieldsOf, inWords } from "./form-fields.js";
import { jsonText, manyLines, oneLine } from "./plain.js";

/**
 * The error for questions nobody is there to answer: which key needs what, and a file of answers to
 * begin with.
 */
export function answerNeeded(
  questions: readonly (readonly [key: string, request: InputRequest])[],
  asker: string,
  prepared: PreparedAnswers | undefined,
): CommandError {
  const count = questions.length === 1 ? "An answer is" : `${questions.length} answers are`;
  const paragraphs = [
    `${count} needed: ${oneLine(asker, 128)} asks, and nobody is here to answer.`,
  ];
  for (const [key, request] of questions) {
    const again = prepared?.wasUsed(key) === true ? " (again: its answer did not do)" : "";
    const head = `  ${oneLine(key)}${again}: a ${kindInWords(request)}`;
    paragraphs.push([head, ...bodyOf(request)].join("\n"));
  }
  const unused = prepared?.unused.map((key) => `"${oneLine(key, 60)}"`) ?? [];
  if (unused.length > 0) {
    paragraphs.push(
      `${oneLine(prepared?.file ?? "")} also answers ${unused.join(", ")}, never asked so far.`,
    );
  }
  const sample = Object.fromEntries(
    questions.map(([key, request]) => [oneLine(key), sampleOf(request)]),
  );
  paragraphs.push(
    `Answer at a terminal, or put the answers in a file for --answers:\n${indented(jsonText(sample, 0), "  ")}`,
  );
  return new CommandError(EXIT.answerNeeded, paragraphs.join("\n\n"));
}

function bodyOf(request: InputRequest): string[] {
  if (request.method !== "elicitation/create") return [];
  const { params } = request;
  const message = indented(manyLines(params.message, 1_000), "    ");
  if (params.mode === "url") return [message, `    ${oneLine(params.url, 2_000)}`];
  return [message, ...fieldsOf(params.requestedSchema).map((field) => `    ${described(field)}`)];
}

/** One field, on one line: `size *  one of small, medium (default small)`. */
function described(field: Field): string {
  const star = field.required ? " *" : "";
  const labels = "choices" in field ? field.choices.map(({ value }) => oneLine(value, 60)) : [];
  const takes = labels.length > 0 ? `${field.takes}: ${labels.join(", ")}` : field.takes || "text";
  const initial = field.initial === undefined ? "" : ` (default ${inWords(field, field.initial)})`;
  return `- ${oneLine(field.name, 60)}${star}  ${oneLine(takes, 600)}${initial}`;
}

function sampleOf(request: InputRequest): unknown {
  if (request.method !== "elicitation/create" || request.params.mode === "url") {
    return { action: "accept" };
  }
  const fields = fieldsOf(request.params.requestedSchema).filter(
    ({ required, initial }) => required && initial === undefined,
  );
  if (fields.length === 0) return { action: "accept" };
  const content = fields.map((field) => [oneLine(field.name), blankOf(field)] as const);
  return { action: "accept", content: Object.fromEntries(content) };
}

function blankOf(field: Field): unknown {
  switch (field.kind) {
    case "yes-no":
      return true;
    case "number":
      return 0;
    case "choice":
      return field.choices[0]?.value ?? "";
    case "choices":
      return field.choices.slice(0, 1).map(({ value }) => value);
    case "text":
      return "…";
  }
}

function indented(text: string, by: string): string {
  return text.replace(/^/gm, by);
}
