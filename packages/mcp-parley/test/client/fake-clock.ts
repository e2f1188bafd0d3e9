import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../src/client/clock.js";

interface Timer {
  readonly at: number;
  readonly ms: number;
  readonly run: () => void;
}

/** A clock that moves only when a test moves it. */
export class FakeClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How long the timers that are set were set for, in ms. */
  get waits(): number[] {
    return [...this.#timers].map(({ ms }) => ms);
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#now = due.at;
      this.#timers.delete(due);
      due.run();
    }
    this.#now = until;
  }

  /** Waits until a timer as long as that (give or take) is set, and gives its length. */
  async set(from: number, to: number): Promise<number> {
    for (let turns = 0; turns < 10_000; turns++) {
      const found = this.waits.find((ms) => ms >= from && ms <= to);
      if (found !== undefined) return found;
      await setImmediate();
    }
    throw new Error(`no timer from ${from} to ${to} ms was set; there are ${String(this.waits)}`);
  }
}
