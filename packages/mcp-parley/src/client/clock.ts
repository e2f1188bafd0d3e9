import type { Cancellation } from "./cancel.js";

/** Time as the client measures it; injected, so that tests never sleep. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  now(): number;
  /** Calls `run` once, `ms` from now, unless the function it gives is called first. */
  after(ms: number, run: () => void): () => void;
}

/** The longest wait a timer of the platform can be set to. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    if (ms > LONGEST) return () => undefined; // 24 days: as good as never
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits `ms`; rejects with the reason once it is cancelled. */
export function pause(clock: Clock, ms: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve, reject) => {
    const takeBack = clock.after(ms, () => {
      leave();
      resolve();
    });
    const leave = cancellation.onCancel((reason) => {
      takeBack();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's own
      reject(reason);
    });
  });
}
