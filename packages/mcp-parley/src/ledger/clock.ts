/** Time as the ledger uses it. */
export interface Clock {
  /** Milliseconds since 1970. May jump either way. */
  now(): number;
  /** Milliseconds since some moment. Never goes back, may stand still while a machine sleeps. */
  steady(): number;
  /**
   * Calls `run` once, after `ms`; what it returns calls it off. Only a timer with `keepAlive`
   * keeps the process from ending.
   */
  after(ms: number, run: () => void, keepAlive: boolean): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: Date.now,
  steady: () => performance.now(),
  after(ms, run, keepAlive) {
    const timer = setTimeout(run, ms);
    if (!keepAlive) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Measures time from its making on. */
export class Elapsed {
  readonly #clock: Clock;
  readonly #wall: number;
  readonly #steady: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wall = clock.now();
    this.#steady = clock.steady();
  }

  /** Milliseconds gone by, by whichever clock saw more: one sleeps, the other may be set back. */
  ms(): number {
    return Math.max(this.#clock.now() - this.#wall, this.#clock.steady() - this.#steady);
  }
}
