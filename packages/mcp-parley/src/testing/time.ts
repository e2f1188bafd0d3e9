import { systemClock } from "../ledger/clock.js";
import type { Clock } from "../ledger/clock.js";
import { systemClock as clientClock } from "../client/clock.js";
import type { Clock as ClientClock } from "../client/clock.js";

/** The system's time, moved forward at will. */
export class MovedTime implements Clock {
  #moved = 0;

  now(): number {
    return systemClock.now() + this.#moved;
  }

  steady(): number {
    return systemClock.steady() + this.#moved;
  }

  after(ms: number, run: () => void, keepAlive: boolean): () => void {
    return systemClock.after(ms, run, keepAlive);
  }

  /** Lets `ms` pass at once. Timers already set are not hurried. */
  advance(ms: number): void {
    this.#moved += ms;
  }
}

const SHORT = 10_000;
const HURRY = 50;

/** A client's time in which pauses between rounds are short; time-outs stay as they are. */
export const HURRIED: ClientClock = {
  now: () => clientClock.now(),
  after: (ms, run) => clientClock.after(ms < SHORT ? ms / HURRY : ms, run),
};
