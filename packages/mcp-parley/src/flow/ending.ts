import type { Clock } from "../ledger/clock.js";
import { within } from "./clock.js";
import type { Round } from "./round.js";

/** How a handler's run ended. `unsettled` is one that neither returned nor threw after a suspension. */
export type Ending =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "unsettled" };

/** How long a handler may go on after its round has ended, in ms. */
const GRACE = 5_000;
/** How long effects that have begun are waited for, in ms. */
const PATIENCE = 30_000;

/** Waits for a handler, and no longer than the grace once its round has ended. */
export function endingOf(run: PromiseLike<unknown>, round: Round, clock: Clock): Promise<Ending> {
  return new Promise((resolve) => {
    let stop: (() => void) | undefined;
    const end = (ending: Ending): void => {
      stop?.();
      resolve(ending);
    };
    run.then(
      (value) => end({ kind: "returned", value }),
      (error: unknown) => end({ kind: "threw", error }),
    );
    round.end.onSuspended(() => {
      stop = clock.after(GRACE, () => end({ kind: "unsettled" }), true);
    });
  });
}

/** Waits for what the handler has begun, within a bound. */
export async function begunWork(round: Round, clock: Clock): Promise<void> {
  while (round.begun.size > 0) {
    const settled = await within(clock, PATIENCE, Promise.allSettled(round.begun));
    if (settled === undefined) return;
  }
}
