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

/** How an operation learns that its time is over. */
export interface Course {
  /** True once nobody waits for the operation any more. */
  over: boolean;
  /** Called when the time is over before the operation is. */
  whenOverdue: (() => void) | undefined;
}

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
 * whatever the operation does then. A try that fails as the verdict allows is followed by another;
 * `read` makes of a reply what the operation gives, and what it throws is a failure of that try.
 * One promise beside the attempt's own, since every claim comes this way.
 */
export function inTime<R, T>(
  limits: Limits,
  attempt: (course: Course) => Promise<R>,
  judge: (failure: unknown) => Verdict,
  read: (reply: R) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const course: Course = { over: false, whenOverdue: undefined };
    let tries = 0;

    const end = (): void => {
      course.over = true;
      clearTimeout(timer);
    };
    const replied = (reply: R): void => {
      if (course.over) return;
      let value: T;
      try {
        value = read(reply);
      } catch (failure) {
        failed(failure);
        return;
      }
      end();
      resolve(value);
    };
    const failed = (failure: unknown): void => {
      // What comes of it after the time is up is nobody's concern.
      if (course.over) return;
      const verdict = judge(failure);
      if (verdict === "again" && tries < MOST_TRIES) {
        go();
        return;
      }
      end();
      reject(
        verdict === "again"
          ? unavailable(limits.name, "failed several times in a row", failure)
          : verdict,
      );
    };
    const go = (): void => {
      tries += 1;
      try {
        attempt(course).then(replied, failed);
      } catch (failure) {
        failed(failure);
      }
    };

    const timer = setTimeout(() => {
      course.over = true;
      reject(unavailable(limits.name, `did not answer within ${limits.timeout} ms`));
      course.whenOverdue?.();
    }, limits.timeout);
    go();
  });
}
