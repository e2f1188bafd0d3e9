import { isParleyError } from "../protocol/errors.js";
import { isPromiseLike, type Awaitable } from "../protocol/json.js";
import type { Clock } from "./clock.js";

/** Pauses between tries, in ms: past a cut connection and a quick restart, and no longer. */
export const INSIST_PAUSES: readonly number[] = [50, 250, 1000];

/**
 * Carries out what ends a claim, again if the store can't be reached, since what is not written
 * down then is lost. Each try must leave the same behind as one alone.
 */
export function insist<T>(clock: Clock, operation: () => Awaitable<T>): Awaitable<T> {
  let first: Awaitable<T>;
  try {
    first = operation();
  } catch (error) {
    if (!isParleyError(error, "store_unavailable")) throw error;
    return again(clock, operation, error);
  }
  if (!isPromiseLike(first)) return first;
  return first.then(undefined, (error: unknown) => again(clock, operation, error));
}

async function again<T>(clock: Clock, operation: () => Awaitable<T>, first: unknown): Promise<T> {
  let failure = first;
  for (const pause of INSIST_PAUSES) {
    if (!isParleyError(failure, "store_unavailable")) break;
    await new Promise<void>((resolve) => clock.after(pause, resolve, true));
    try {
      return await operation();
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
