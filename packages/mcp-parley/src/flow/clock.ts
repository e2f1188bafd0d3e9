import type { Clock } from "../ledger/clock.js";

/** Resolves after `ms`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve, true);
  });
}

/** The promise's value, or undefined if it takes longer than `ms`. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => resolve(undefined), true);
    promise.then(resolve, reject).finally(stop);
  });
}
