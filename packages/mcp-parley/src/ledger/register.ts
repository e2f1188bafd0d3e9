import type { Store } from "../store/store.js";

/** What the register needs to know of a hold. */
export interface Registered {
  readonly row: string;
  readonly fingerprint: string;
}

/**
 * Who in this process holds what, and who waits for it: shared by all ledgers over one store
 * object.
 *
 * 1. A hold stays here for as long as its handler runs, so that nobody in this process takes it
 *    for gone, however old its row is.
 * 2. Whoever waits for a row is woken when a hold on it ends.
 */
export class Register {
  readonly #holds = new Map<string, Registered>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** The register of a store. */
  static of(store: Store): Register {
    let register = registers.get(store);
    if (register === undefined) {
      register = new Register();
      registers.set(store, register);
    }
    return register;
  }

  /** The hold on a row by a handler that runs in this process, unless it was lost. */
  holder(row: string): Registered | undefined {
    return this.#holds.get(row);
  }

  enter(hold: Registered): void {
    this.#holds.set(hold.row, hold);
  }

  /** Ends a hold and wakes those who wait for its row. */
  leave(hold: Registered): void {
    if (this.#holds.get(hold.row) === hold) this.#holds.delete(hold.row);
    const waiting = this.#waiting.get(hold.row);
    if (waiting === undefined) return;
    this.#waiting.delete(hold.row);
    for (const wake of waiting) wake();
  }

  /** Calls `wake` once when a hold on `row` ends; what it returns calls it off. */
  wait(row: string, wake: () => void): () => void {
    const waiting = this.#waiting.get(row) ?? new Set();
    this.#waiting.set(row, waiting);
    waiting.add(wake);
    return () => {
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(row) === waiting) this.#waiting.delete(row);
    };
  }
}

const registers = new WeakMap<Store, Register>();
