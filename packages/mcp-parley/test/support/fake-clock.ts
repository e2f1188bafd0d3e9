import type { Clock } from "../../src/ledger/clock.js";

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  readonly keepAlive: boolean;
}

/** Time that passes when told to. */
export class FakeClock implements Clock {
  /** How far the wall clock is from what the steady clock says. */
  skew = 1_700_000_000_000;
  #time = 0;
  #made = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#time + this.skew;
  }

  steady(): number {
    return this.#time;
  }

  after(ms: number, run: () => void, keepAlive: boolean): () => void {
    const timer = { at: this.#time + ms, order: this.#made++, run, keepAlive };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that are set, of those that keep the process alive or of the others. */
  timers(keepAlive: boolean): number {
    return [...this.#timers].filter((timer) => timer.keepAlive === keepAlive).length;
  }

  /** Lets `ms` pass, firing what is due in order and giving promises their turn in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#time + ms;
    await settleDown();
    for (;;) {
      const due = [...this.#timers]
        .filter((timer) => timer.at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#time = Math.max(this.#time, due.at);
      due.run();
      await settleDown();
    }
    this.#time = end;
  }

  /** Lets time pass at once, as when the process was stopped: timers fire late. */
  jump(ms: number): void {
    this.#time += ms;
  }
}

/** Gives every promise that waits for nothing but promises its turn. */
export async function settleDown(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
