import type { LoggingLevel } from "../protocol/notifications.js";
import type { Awaitable } from "../protocol/json.js";
import type { Principal } from "../state/principal.js";
import type { Answer, AnswerOf, Question, QuestionKind } from "./question.js";

/** What an effect is given. */
export interface Effect {
  /**
   * The same string every time this effect is tried, by whichever instance: hand it to the
   * provider, so that a repeat is recognised there too.
   */
  readonly idempotencyKey: string;
  /** Aborts after the effect's `timeout`; a client that disconnects does not abort it. */
  readonly signal: AbortSignal;
}

/** Holds an effect to once across flows, restarts and starting over. All three are required. */
export interface BusinessKey {
  /** What must not happen twice, such as an order number. */
  readonly key: string;
  /** Whether each principal has keys of its own, or the server has one set for all. */
  readonly scope: "principal" | "server";
  /** How long it is remembered, in ms. */
  readonly keepFor: number;
}

/** How an effect is guarded. */
export interface OnceOptions<T> {
  /** True if running the effect again does no harm: then an unknown outcome is tried again. */
  readonly idempotent?: boolean;
  /**
   * Finds out what became of an effect whose outcome is unknown: gives its value if it happened,
   * throws `NotDone` if it did not, and anything else if that can't be told.
   */
  readonly recover?: (effect: Effect) => Awaitable<T>;
  /** Holds the effect to once beyond this flow. */
  readonly per?: BusinessKey;
  /** After how many ms the effect's signal aborts. Default: never. */
  readonly timeout?: number;
}

/**
 * One call of a tool, prompt or resource, as its handler sees it. The handler runs from the top in
 * every round; what was answered, kept or done before is given back at once.
 */
export interface Call {
  /**
   * Puts a question under a key of its own and gives the answer. Ends the round when there is none
   * yet. Rejects with `declined` or `cancelled` when that is what the user did,
   * `capability_missing` when the client cannot answer this kind, `question_conflict` when another
   * question was put under the key, `repeats_exhausted` when it was put too often.
   */
  ask<T>(key: string, question: Question<T>): Promise<T>;
  /** Puts several questions in one round and gives the answers under the same keys. */
  askAll<Q extends Readonly<Record<string, Question<unknown>>>>(
    questions: Q,
  ): Promise<{ [K in keyof Q]: AnswerOf<Q[K]> }>;
  /** Like `ask` for forms and links, with decline and cancel as values. */
  tryAsk<T>(key: string, question: Question<T>): Promise<Answer<T>>;
  /**
   * Runs an effect at most once and gives its value, the same in every later round. The value must
   * be JSON. Rejects with `effect_unknown` when the effect may or may not have happened,
   * `effect_conflict` when the business key was used for something else, `not_done` when the
   * effect said so itself.
   */
  once<T>(
    key: string,
    effect: (effect: Effect) => Awaitable<T>,
    options?: OnceOptions<T>,
  ): Promise<T>;
  /** Computes a JSON value once and keeps it in the state, durable from the next round on. */
  memo<T>(key: string, compute: () => Awaitable<T>): Promise<T>;
  /**
   * Goes back to a question that was answered: it and all that was answered or kept after it are
   * asked again, with the old answers as defaults. Effects stay done.
   */
  rewind(key: string): never;
  /** Ends the round once, without a question, so that any instance can take the rest. */
  checkpoint(key: string): Promise<void>;
  /** Whether the client can answer questions of this kind. */
  can(kind: QuestionKind | "sampling.tools"): boolean;
  /** Who is calling, as verified by the server; undefined is anonymous. */
  readonly principal: Principal | undefined;
  /** Which round this is: 1 for the first. */
  readonly round: number;
  /** Aborts when the client has gone or cancelled. */
  readonly signal: AbortSignal;
  /** Reports progress to a client that asked for it; `progress` must grow. */
  progress(progress: number, total?: number, message?: string): void;
  /** @deprecated by revision 2026-07-28. Sends a log message to a client that asked for its level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
}
