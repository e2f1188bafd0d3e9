import { ParleyError } from "../protocol/errors.js";

/** How long an operation of a store may take unless told otherwise, in ms. */
export const DEFAULT_TIMEOUT_MS = 2000;

/** How long a store's operations may take, all tries together. */
export interface Limits {
  /** The store's name, for messages. */
  readonly name: string;
  readonly timeout: number;
}

/** What a failure means to whoever asked the store. */
export type Verdict =
  /** The connection broke or others were in the way: once more, in what time is left. */
  "again" | ParleyError;

/** Checks a `timeout` option. */
export function checkedTimeout(timeout: number | undefined): number {
  const ms = timeout ?? DEFAULT_TIMEOUT_MS;
  if (typeof ms !== "number") throw new TypeError("`timeout` is a number of milliseconds");
  if (!(ms >= 1 && ms <= 60_000)) {
    throw new RangeError("`timeout` is a number of milliseconds from 1 to 60000");
  }
  return ms;
}

/** The error for a store that can't be reached or doesn't do as asked. */
export function unavailable(name: string, what: string, cause?: unknown): ParleyError {
  const options = cause === undefined ? {} : { cause };
  return new ParleyError("store_unavailable", `The ${name} store ${what}`, options);
}

/** Failures that come back at once are not repeated more often than this. */
const MOST_TRIES = 5;

/**
 * Carries out an operation within its time: fails with `store_unavailable` when that is over,
 * whatever the operation does then. A try that fails as the verdict allows is followed by another.
 */
export async function inTime<T>(
  limits: Limits,
  attempt: (overdue: AbortSignal) => Promise<T>,
  judge: (failure: unknown) => Verdict,
): Promise<T> {
  const overdue = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unavailable(limits.name, `did not answer within ${limits.timeout} ms`));
      overdue.abort();
    }, limits.timeout);
  });
  try {
    for (let tries = 1; ; tries += 1) {
      const trying = attempt(overdue.signal);
      // What comes of it after the time is up is nobody's concern.
      trying.catch(() => undefined);
      try {
        return await Promise.race([trying, timeUp]);
      } catch (failure) {
        if (overdue.signal.aborted) throw failure;
        const verdict = judge(failure);
        if (verdict !== "again") throw verdict;
        if (tries === MOST_TRIES) {
          throw unavailable(limits.name, "failed several times in a row", failure);
        }
      }
    }
  } finally {
    clearTimeout(timer);
    timeUp.catch(() => undefined);
  }
}
