import { ParleyError } from "../protocol/errors.js";
import type { Issue } from "../protocol/form.js";
import type { PendingCall } from "./pending.js";

/** An answer that does not fit its question. Nothing was sent. */
export class AnswerInvalidError extends ParleyError<"answer_invalid"> {
  /** The key of the question. */
  readonly key: string;
  /** What is wrong, field by field; without a field where the answer as a whole is meant. */
  readonly issues: readonly Issue[];

  constructor(key: string, issues: readonly Issue[]) {
    const said = issues.map(({ field, why }) => (field === undefined ? why : `${field}: ${why}`));
    super("answer_invalid", `The answer to "${key}" does not fit: ${said.join("; ")}.`);
    this.key = key;
    this.issues = issues;
  }
}

/**
 * A call that the client ended between two rounds: nothing is under way at the server. `pending` is
 * where the flow stands, and `resume` goes on from there.
 */
export class UnfinishedError extends ParleyError<
  "answer_missing" | "rounds_exhausted" | "time_exhausted"
> {
  // Not a member of its own: whoever logs the error would log what was answered, and the state.
  readonly #pending: PendingCall;

  constructor(
    code: UnfinishedError["code"],
    message: string,
    pending: PendingCall,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.#pending = pending;
  }

  /** The flow at rest, for `resume`. */
  get pending(): PendingCall {
    return this.#pending;
  }
}
