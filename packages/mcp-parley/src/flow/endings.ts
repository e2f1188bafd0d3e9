import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ParleyError } from "../protocol/errors.js";

/**
 * The client has not declared what a question needs. A handler may catch it and do without;
 * uncaught it is the protocol's -32021. Specification: basic/versioning.
 */
export class CapabilityMissing extends ParleyError<"capability_missing"> {
  /** What the client would have to declare, and nothing more. */
  readonly required: ClientCapabilities;

  constructor(key: string, required: ClientCapabilities) {
    super(
      "capability_missing",
      `The client cannot be asked '${key}': it does not declare ${JSON.stringify(required)}. Ask call.can(kind) first to do without.`,
    );
    this.required = required;
  }
}

/** The user said no, or said nothing. */
export class NotAccepted extends ParleyError<"declined" | "cancelled"> {
  /** The key of the question. */
  readonly key: string;

  constructor(code: "declined" | "cancelled", key: string) {
    super(
      code,
      code === "declined"
        ? `The user declined '${key}', so this was not done.`
        : `The user dismissed '${key}' without an answer, so this was not done.`,
    );
    this.key = key;
  }
}

/** The endings a flow cannot come back from. */
export const ended = {
  unstable: (key: string) =>
    new ParleyError(
      "question_unstable",
      `The question under '${key}' changes from run to run. Keep what it is made of in call.memo.`,
    ),
  diverged: (key: string) =>
    new ParleyError(
      "diverged",
      `This run left out or changed '${key}', which came before an effect that has happened. Keep what the handler reads of the world before an effect in call.memo.`,
    ),
  repeats: (key: string, repeats: number) =>
    new ParleyError(
      "repeats_exhausted",
      `'${key}' was put ${String(repeats)} times without an answer that fits.`,
    ),
};
