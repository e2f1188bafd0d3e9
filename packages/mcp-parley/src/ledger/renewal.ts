import type { Clock } from "./clock.js";
import type { Held } from "./held.js";

/** A lease is renewed once this part of it is gone, well before the half at which effects stop. */
const RENEW_AFTER = 1 / 3;

/** How often a due renewal is tried again, as a part of the lease. */
const RETRY_AFTER = 1 / 6;

/**
 * Renews the leases of long holds, on one timer for all of them that doesn't keep the process
 * alive. Short holds come and go without touching it.
 */
export class Renewal {
  readonly #clock: Clock;
  readonly #holds = new Set<Held>();
  #callOff: (() => void) | undefined;
  /** When the timer fires, by the steady clock. */
  #next = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  enter(held: Held): void {
    this.#holds.add(held);
    this.#arm(held.lease * RENEW_AFTER);
  }

  leave(held: Held): void {
    this.#holds.delete(held);
  }

  /** Stops the timer. */
  close(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    this.#next = Infinity;
    this.#holds.clear();
  }

  /** Sees to it that the timer fires about `within` ms from now. */
  #arm(within: number): void {
    const ms = Math.ceil(within); // What timers count in, and never nothing.
    const next = this.#clock.steady() + ms;
    if (next >= this.#next) return;
    this.#callOff?.();
    this.#next = next;
    this.#callOff = this.#clock.after(ms, () => this.#fire(), false);
  }

  #fire(): void {
    this.#callOff = undefined;
    this.#next = Infinity;
    for (const held of this.#holds) {
      const left = held.lease * RENEW_AFTER - held.age();
      if (left <= 0) held.renew();
      if (this.#holds.has(held)) this.#arm(left > 0 ? left : held.lease * RETRY_AFTER);
    }
  }
}
