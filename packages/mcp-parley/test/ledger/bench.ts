import { createLedger, type ClosableLedger } from "../../src/ledger/create.js";
import type { LedgerEvent } from "../../src/ledger/events.js";
import type { Claimed, ClaimOptions, Hold } from "../../src/ledger/ledger.js";
import type { Protect } from "../../src/ledger/protect.js";
import type { Awaitable } from "../../src/protocol/json.js";
import { memoryStore, type MemoryStore } from "../../src/store/memory.js";
import { FakeClock } from "../support/fake-clock.js";
import { RemoteStore } from "../support/remote-store.js";

/** Hides nothing from a reader of the tests, and opens only under the row it was sealed for. */
export const protect: Protect = {
  protect: (text, row) => `sealed ${row} ${text}`,
  reveal: (text, row) =>
    text.startsWith(`sealed ${row} `) ? text.slice(`sealed ${row} `.length) : undefined,
};

export interface Worker {
  readonly ledger: ClosableLedger;
  readonly store: RemoteStore;
  readonly events: LedgerEvent[];
}

/** Instances that share a store over a network, and time. */
export class Fleet {
  readonly clock = new FakeClock();
  readonly rows: MemoryStore = memoryStore({}, () => this.clock.now());

  worker(): Worker {
    const store = new RemoteStore(this.rows);
    const events: LedgerEvent[] = [];
    const onEvent = (event: LedgerEvent): void => void events.push(event);
    return { ledger: createLedger({ store, protect, onEvent }, this.clock), store, events };
  }

  pair(): [Worker, Worker] {
    return [this.worker(), this.worker()];
  }

  /** Lets a worker's lease run out unnoticed, as when its process was stopped. */
  async stopped(worker: Worker, ms: number): Promise<void> {
    const travel = worker.store.travel;
    worker.store.travel = () => new Promise(() => undefined);
    await this.clock.advance(ms);
    worker.store.travel = travel;
  }

  /** Claim options: a lease of six seconds, a row of ten minutes. */
  options(change: Partial<ClaimOptions> = {}): ClaimOptions {
    const notAfter = this.clock.now() + 600_000;
    return { notAfter, lease: 6_000, effect: false, holder: undefined, ...change };
  }
}

export type Kind = Claimed["kind"];
export type Of<K extends Kind> = Extract<Claimed, { kind: K }>;

/** The outcome of a claim that must be of one kind. */
export async function of<K extends Kind>(kind: K, claim: Awaitable<Claimed>): Promise<Of<K>> {
  return at(kind, await claim);
}

/** The same for a claim that was answered at once. */
export function at<K extends Kind>(kind: K, claimed: Awaitable<Claimed>): Of<K> {
  const found = (claimed as Partial<Claimed>).kind;
  if (found !== kind) throw new Error(`${kind} expected, not ${found ?? "a promise"}`);
  return claimed as Of<K>;
}

export async function fresh(claim: Awaitable<Claimed>): Promise<Hold> {
  return (await of("fresh", claim)).hold;
}

/** What a worker was told, by kind. */
export const kinds = (worker: Worker): string[] => worker.events.map((event) => event.kind);
