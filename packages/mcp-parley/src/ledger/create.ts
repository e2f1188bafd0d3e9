import type { Awaitable } from "../protocol/json.js";
import { systemRandom, type Random } from "../state/random.js";
import type { Store } from "../store/store.js";
import { Attempt } from "./claim.js";
import { systemClock, type Clock } from "./clock.js";
import { Desk } from "./desk.js";
import { Epoch } from "./epoch.js";
import type { LedgerListener } from "./events.js";
import type { Held } from "./held.js";
import type { Claimed, ClaimOptions, Ledger } from "./ledger.js";
import { rowName } from "./names.js";
import type { Protect } from "./protect.js";
import { Renewal } from "./renewal.js";

/** What a ledger is made of. */
export interface LedgerOptions {
  readonly store: Store;
  /** Required unless the store ends with the process. */
  readonly protect?: Protect | undefined;
  /** Is told what the ledger noticed. */
  readonly onEvent?: LedgerListener | undefined;
}

/** A ledger and its end. */
export interface ClosableLedger extends Ledger {
  /**
   * Stops renewing and lets go of every hold without ending it, as a crash would: to other
   * instances, this one has vanished. The store stays open.
   */
  close(): void;
}

/**
 * At most once over `store`. Over a store that answers at once every operation does too: then
 * nothing here makes a promise, and failures are thrown.
 *
 * Fails with `store_unavailable` or `store_full` where the store does, with nothing claimed.
 * Throws `usage` for a store that outlives the process without `protect`.
 */
export function createLedger(
  options: LedgerOptions,
  clock: Clock = systemClock,
  random: Random = systemRandom,
): ClosableLedger {
  return new LedgerOver(options, clock, random);
}

class LedgerOver implements ClosableLedger {
  readonly #desk: Desk;
  readonly #random: Random;
  readonly #renewal: Renewal;
  readonly #epoch: Epoch;
  readonly #holds = new Set<Held>();

  constructor(options: LedgerOptions, clock: Clock, random: Random) {
    this.#desk = new Desk(options.store, options.protect, options.onEvent, clock);
    this.#random = random;
    this.#renewal = new Renewal(clock);
    this.#epoch = new Epoch(this.#desk, random);
  }

  claim(id: string, fingerprint: string, options: ClaimOptions): Awaitable<Claimed> {
    checkLease(options.lease);
    const owner = this.#random.id();
    return new Attempt(this.#desk, this, rowName(id), fingerprint, owner, options).claim();
  }

  epoch(): Awaitable<string | null> {
    return this.#epoch.get();
  }

  close(): void {
    this.#renewal.close();
    for (const held of [...this.#holds]) {
      held.lost = true;
      this.leave(held);
    }
  }

  /** Keeps a new hold. */
  enter(held: Held): void {
    this.#holds.add(held);
    this.#desk.register.enter(held);
    if (!this.#desk.local) this.#renewal.enter(held);
  }

  /** Forgets a hold that has ended. */
  leave(held: Held): void {
    this.#holds.delete(held);
    this.#desk.register.leave(held);
    this.#renewal.leave(held);
  }
}

function checkLease(lease: number): void {
  if (!Number.isSafeInteger(lease) || lease < 1) {
    throw new RangeError("A lease is a whole number of milliseconds, at least 1");
  }
}
