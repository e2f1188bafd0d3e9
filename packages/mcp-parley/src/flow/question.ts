import { sha256 } from "../state/digest.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { FormContent } from "../protocol/elicitation.js";
import type { InputResponse } from "../protocol/input.js";
import { ParleyError } from "../protocol/errors.js";
import type { Awaitable } from "../protocol/json.js";

/** What kind of input a question asks for. */
export type QuestionKind = "form" | "url" | "sampling" | "roots";

declare const ANSWER: unique symbol;

/**
 * Something to ask the client: made by `form`, `link`, `sample` or `roots`, put by `call.ask`.
 * A question may be made once and put in many calls.
 */
export interface Question<out T> {
  readonly kind: QuestionKind;
  /** Carries the answer's type; never present. */
  readonly [ANSWER]?: T;
}

/** The type that asking `Q` gives. */
export type AnswerOf<Q> = Q extends Question<infer T> ? T : never;

/** How a question was answered. */
export type Answer<T> =
  | { readonly action: "accept"; readonly content: T }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** What reading a wire answer came to: an answer, or why the question has to be put again. */
export type Reading<T> = { readonly answer: Answer<T> } | { readonly invalid: string };

/** What one putting of a question adds to what its author wrote. */
export interface Putting {
  /** Why it is put again, shown below its message. */
  readonly reason?: string | undefined;
  /** What was answered before a step back, offered as defaults. */
  readonly defaults?: FormContent | undefined;
  /** The sealed URL of a link. */
  readonly url?: string | undefined;
}

const AS_WRITTEN: Putting = {};

/** What a round needs of a question. Not published: authors see {@link Question}. */
export abstract class Asking<T> implements Question<T> {
  abstract readonly kind: QuestionKind;
  declare readonly [ANSWER]?: T;
  /** The capability the client must have declared. */
  abstract readonly requires: ClientCapabilities;
  /** Whether an answer counts on a first call, before the question was ever put. */
  readonly upFront: boolean;
  #digest: string | undefined;

  constructor(upFront: boolean) {
    this.upFront = upFront;
  }

  /** The input request as JSON text. */
  abstract wire(putting: Putting): string;
  /** Reads what the client answered; refuses what is of another kind. */
  abstract read(response: InputResponse): Awaitable<Reading<T>>;

  /** The names of the fields it asks for. */
  get fieldNames(): readonly string[] {
    return [];
  }

  /** The digest of the question as its author wrote it, without re-ask reasons. */
  get digest(): string {
    return (this.#digest ??= sha256(this.wire(AS_WRITTEN)).slice(0, 22));
  }
}

/** The inside of a question; a `usage` error for anything that is none. */
export function asking<T>(question: Question<T>): Asking<T> {
  if (question instanceof Asking) return question as Asking<T>;
  throw new ParleyError("usage", "call.ask takes a question made by form, link, sample or roots");
}
