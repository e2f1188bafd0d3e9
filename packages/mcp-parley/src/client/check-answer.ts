import type {
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  FormContent,
} from "../protocol/elicitation.js";
import { fillDefaults, validateContent } from "../protocol/form.js";
import { type InputRequest, type InputResponse, readInputResponses } from "../protocol/input.js";
import { isObject } from "../protocol/json.js";
import { CREATE_MESSAGE, ELICIT, LIST_ROOTS } from "../protocol/methods.js";
import { AnswerInvalidError } from "./errors.js";

/**
 * An answer as it may be sent: of the kind its question wants, accepted content with its defaults
 * filled in and held against the schema, and no content where none belongs. `answer_invalid` for
 * anything else.
 * Specification: client/elicitation, Response Actions and Form Mode Security.
 */
export function checkAnswer(key: string, request: InputRequest, answer: unknown): InputResponse {
  switch (request.method) {
    case ELICIT:
      return elicited(key, request.params, answer);
    case CREATE_MESSAGE:
      return asGiven(key, "role", answer);
    case LIST_ROOTS:
      return asGiven(key, "roots", answer);
  }
}

function elicited(
  key: string,
  question: ElicitRequestFormParams | ElicitRequestURLParams,
  answer: unknown,
): ElicitResult {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") {
    throw wrong(key, 'its action has to be "accept", "decline" or "cancel"');
  }
  if (question.mode === "url") return { action };
  if (content !== undefined && !isObject(content))
    throw wrong(key, "its content has to be an object");
  const filled = fillDefaults(question.requestedSchema, (content ?? {}) as FormContent);
  const checked = validateContent(question.requestedSchema, filled);
  if (!checked.ok) throw new AnswerInvalidError(key, checked.issues);
  return { action, content: checked.content };
}

/** An answer that goes out as the host gave it, once it has the shape of its kind. */
function asGiven(key: string, member: "role" | "roots", answer: unknown): InputResponse {
  const read = readInputResponses({ [key]: answer });
  if (!read.ok) throw wrong(key, read.why);
  const response = read.responses.get(key);
  if (response === undefined || !(member in response)) throw wrong(key, `it has no "${member}"`);
  return response;
}

function wrong(key: string, why: string): AnswerInvalidError {
  return new AnswerInvalidError(key, [{ field: undefined, why }]);
}
