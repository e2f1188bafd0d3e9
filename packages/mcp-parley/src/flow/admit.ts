import { readInputResponses } from "../protocol/input.js";
import type { InputResponse } from "../protocol/input.js";
import { digestJson } from "../state/digest.js";
import type { Asked } from "../state/claims.js";
import { LONGEST_KEY } from "./key.js";

/** The answers of one request that count, in the order they were asked for. */
export interface Admitted {
  readonly answers: readonly (readonly [Asked, InputResponse])[];
  /** Keys of well-formed answers that nobody asked for, cut to what a key may be. */
  readonly ignored: readonly string[];
  /** The same for the same answers, however the client wrote them. */
  readonly fingerprint: string;
}

const NO_ANSWERS: ReadonlyMap<string, InputResponse> = new Map();

/**
 * Reads a request's `inputResponses`. The whole map is judged before any of it counts; gives what
 * is wrong with it, in words, when it is malformed.
 * Specification: basic/patterns/mrtr, Error Handling.
 */
export function readAnswers(responses: unknown): ReadonlyMap<string, InputResponse> | string {
  if (responses === undefined) return NO_ANSWERS;
  const read = readInputResponses(responses);
  if (read.ok) return read.responses;
  return read.key === undefined
    ? `Invalid inputResponses: ${read.why}`
    : `Invalid inputResponses: '${read.key.slice(0, 64)}' ${read.why}`;
}

/** Keeps the answers to what the state lists as asked. */
export function admit(
  answers: ReadonlyMap<string, InputResponse>,
  asked: readonly Asked[],
): Admitted {
  const kept: (readonly [Asked, InputResponse])[] = [];
  for (const question of asked) {
    const response = answers.get(question.key);
    if (response !== undefined) kept.push([question, response]);
  }
  return {
    answers: kept,
    ignored: kept.length === answers.size ? [] : unasked(answers, asked),
    fingerprint: digestJson(kept.map(([{ key }, response]) => [key, response])) ?? "",
  };
}

function unasked(answers: ReadonlyMap<string, InputResponse>, asked: readonly Asked[]): string[] {
  const keys = new Set(asked.map(({ key }) => key));
  return [...answers.keys()]
    .filter((key) => !keys.has(key))
    .map((key) => key.slice(0, LONGEST_KEY));
}
