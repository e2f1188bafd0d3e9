import type { InputResponse } from "../protocol/input.js";
import type { AskingMethod } from "../protocol/methods.js";
import { checkAnswer } from "./check-answer.js";
import { AnswerInvalidError } from "./errors.js";
import { type PendingCall, questionOf, withAnswers } from "./pending.js";
import { readPending } from "./read-pending.js";

/**
 * A pending call with one more answer; the given one stays as it is. The answer is held against its
 * question at once, with defaults filled in: `answer_invalid` says field by field what does not fit.
 * `pending_invalid` where the pending call is not one.
 */
export function answered<Method extends AskingMethod>(
  pending: PendingCall<Method>,
  key: string,
  answer: InputResponse,
): PendingCall<Method> {
  const read = readPending(pending);
  const request = questionOf(read, key);
  if (request === undefined) {
    const why = `nothing is asked under it, only under ${JSON.stringify(Object.keys(read.inputRequests))}`;
    throw new AnswerInvalidError(key, [{ field: undefined, why }]);
  }
  return withAnswers(read, { [key]: checkAnswer(key, request, answer) });
}
