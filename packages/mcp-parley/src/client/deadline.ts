import type { Clock } from "./clock.js";

/**
 * The time one request has. Progress may start it anew, up to a most; it then only notes the time,
 * and the timer looks at it when it rings.
 * Specification: basic/patterns/cancellation, Timeouts.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #ends: number;
  readonly #onOver: (ms: number) => void;
  readonly #began: number;
  #from: number;
  #takeBack: () => void;

  /** Calls `onOver` with how long was waited, unless it is stopped before. All times are in ms. */
  constructor(clock: Clock, timeout: number, most: number, onOver: (ms: number) => void) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#onOver = onOver;
    this.#began = clock.now();
    this.#from = this.#began;
    this.#ends = this.#began + most;
    this.#takeBack = this.#wait(Math.min(timeout, most));
  }

  /** The server is at work: from now on it has the whole time again, as far as the most allows. */
  renew(): void {
    this.#from = this.#clock.now();
  }

  stop(): void {
    this.#takeBack();
  }

  #wait(ms: number): () => void {
    return this.#clock.after(ms, () => {
      const now = this.#clock.now();
      const left = Math.min(this.#from + this.#timeout, this.#ends) - now;
      // A timer may ring a little early; less than that much is nothing to wait for.
      if (left > 1) this.#takeBack = this.#wait(left);
      else this.#onOver(now - this.#began);
    });
  }
}
