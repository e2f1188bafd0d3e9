import { isParleyError } from "../protocol/errors.js";
import { chain, isPromiseLike, type Awaitable } from "../protocol/json.js";
import type { Inserted, Row, Stored } from "../store/store.js";
import { Elapsed } from "./clock.js";
import type { Desk } from "./desk.js";
import { Held, type Holdings } from "./held.js";
import type { Claimed, ClaimOptions } from "./ledger.js";
import { inFlightMark, isTied, markable, readMark } from "./mark.js";
import { watch } from "./watch.js";

/** How often a claim that others keep taking from each other is looked at before it is said so. */
const MOST_LOOKS = 8;

const PAST: Claimed = { kind: "past" };
const MISMATCH: Claimed = { kind: "mismatch" };

/** Who keeps the holds of one ledger. */
export interface Desktop extends Holdings {
  enter(held: Held): void;
}

/**
 * One attempt to claim a row. Its owner token is its own from the start, so that a claim that was
 * carried out before its connection was cut is recognised.
 *
 * 1. A row held in this process is in flight, however old it is.
 * 2. A round whose holder is silent past its lease is taken over, whatever its answers were. An
 *    effect, or a round in which one may have begun, is indeterminate then: it is taken only on
 *    demand, with the same answers, and stays tied to them.
 * 3. Time is measured from before the claim was sent, so that the holder's idea of its lease ends
 *    no later than everyone else's.
 */
export class Attempt {
  readonly #desk: Desk;
  readonly #holdings: Desktop;
  readonly #row: string;
  readonly #fingerprint: string;
  readonly #owner: string;
  readonly #options: ClaimOptions;
  readonly #mine: Row;
  #since: Elapsed | undefined;
  #looks = 0;
  /** Set once this attempt may have taken a row over: deleting it then would forget what it says. */
  #took = false;

  constructor(
    desk: Desk,
    holdings: Desktop,
    row: string,
    fingerprint: string,
    owner: string,
    options: ClaimOptions,
  ) {
    this.#desk = desk;
    this.#holdings = holdings;
    this.#row = row;
    this.#fingerprint = markable(fingerprint);
    this.#owner = owner;
    this.#options = options;
    this.#mine = {
      owner,
      mark: inFlightMark(options.effect, options.lease, this.#fingerprint),
      body: "",
      bodyFor: 0,
      notAfter: options.notAfter,
    };
  }

  claim(): Awaitable<Claimed> {
    const holder = this.#desk.register.holder(this.#row);
    if (holder !== undefined) {
      if (holder.fingerprint !== this.#fingerprint) return MISMATCH;
      return { kind: "in_flight", wait: (ms) => watch(this.#desk, this.#row, ms) };
    }
    this.#looks += 1;
    this.#start();
    const inserted = this.#desk.ask((store) =>
      store.insertOrGet(this.#row, this.#mine, this.#options.holder),
    );
    if (!isPromiseLike(inserted)) return this.#judge(inserted);
    return inserted.then(
      (found) => this.#judge(found),
      (error: unknown) => {
        if (!this.#took && isParleyError(error, "store_unavailable")) this.#callOff();
        throw error;
      },
    );
  }

  #judge(found: Inserted): Awaitable<Claimed> {
    switch (found.kind) {
      case "inserted":
        return this.#fresh(false);
      case "past":
        return PAST;
      case "present":
        return this.#standing(found.row);
    }
  }

  #standing(row: Stored): Awaitable<Claimed> {
    const mark = readMark(row.mark);
    if (mark === undefined) throw this.#desk.garbled();
    if (row.owner === this.#owner) return this.#fresh(isTied(mark));
    const same = mark.fingerprint === this.#fingerprint;
    if (mark.kind === "settled") {
      if (!same) return MISMATCH;
      return { kind: "settled", outcome: this.#desk.show(row.body, this.#row) };
    }
    const left = mark.kind === "in_flight" ? mark.lease - row.age : 0;
    if (left > 0) return same ? this.#inFlight(row, left) : MISMATCH;
    if (!isTied(mark)) return this.#takeOver(row, false);
    return same ? { kind: "indeterminate", take: () => this.#takeOver(row, true) } : MISMATCH;
  }

  #inFlight(seen: Stored, leaseLeft: number): Claimed {
    return {
      kind: "in_flight",
      wait: (ms) => watch(this.#desk, this.#row, ms, { seen, leaseLeft }),
    };
  }

  #takeOver(from: Stored, tied: boolean): Awaitable<Claimed> {
    this.#start();
    this.#took = true;
    const { lease } = this.#options;
    const mark = tied ? inFlightMark(true, lease, this.#fingerprint) : this.#mine.mark;
    const taken = this.#desk.ask((store) =>
      store.replaceIfOwner(this.#row, from.owner, { ...this.#mine, mark }),
    );
    return chain(taken, (done) => {
      if (done) {
        this.#desk.tell({ kind: "taken_over", row: this.#row });
        return this.#fresh(tied);
      }
      // Somebody was quicker, or an earlier try of ours was: a look tells.
      return this.#looks < MOST_LOOKS ? this.claim() : this.#inFlight(from, 0);
    });
  }

  #fresh(tied: boolean): Claimed {
    const held = new Held(
      this.#desk,
      this.#holdings,
      this.#row,
      this.#fingerprint,
      this.#owner,
      this.#options,
      tied && !this.#options.effect,
      this.#since,
    );
    this.#holdings.enter(held);
    return { kind: "fresh", hold: held };
  }

  #start(): void {
    if (!this.#desk.local) this.#since = new Elapsed(this.#desk.clock);
  }

  /** A claim that failed may still arrive: nobody would hold it, so it is taken back if it did. */
  #callOff(): void {
    const failed = (error: unknown): void =>
      this.#desk.tell({ kind: "cleanup_failed", row: this.#row, error });
    try {
      const gone = this.#desk.ask((store) => store.deleteIfOwner(this.#row, this.#owner));
      if (isPromiseLike(gone)) gone.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}
