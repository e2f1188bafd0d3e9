import { ParleyError } from "../protocol/errors.js";
import { chain, isPromiseLike, type Awaitable } from "../protocol/json.js";
import type { Row } from "../store/store.js";
import { Elapsed } from "./clock.js";
import type { Desk } from "./desk.js";
import { insist } from "./insist.js";
import type { ClaimOptions, Hold } from "./ledger.js";
import { abandonedMark, inFlightMark, isTied, readMark, settledMark } from "./mark.js";
import type { Registered } from "./register.js";

type Settled = { won: true } | { won: false; outcome: string | undefined };

const WON: Settled = { won: true };

/** A settled row is nobody's: whatever was sent before it and arrives after it finds no owner. */
const NOBODY = "";

/** Ends the owner of a pinned row. */
const PINNED = "+";

/** Others may settle, take or release the row between two looks at it; not this often. */
const MOST_LOOKS = 8;

/** Who is told when a hold ends. */
export interface Holdings {
  leave(held: Held): void;
}

/**
 * A claim that is held.
 *
 * 1. The first outcome settled stands, whoever holds the claim by then: a holder that was taken
 *    for gone and comes back first heals the claim, one that comes second gets what stands. Only a
 *    claim that is pinned to other answers is not its to settle any more.
 * 2. Settling gives the row away, so that no renewal on its way can undo it.
 * 3. Once ended, a hold is not renewed; an ending that failed may be tried again.
 * 4. Pinning gives the row to another owner, which is this hold too: neither a renewal on its way
 *    nor who saw the hold silent before can undo it.
 * 5. A hold that was silent past its lease may be taken at any later moment by who saw that, also
 *    after it was renewed: it may go on and settle, and no effect begins under it any more.
 */
export class Held implements Hold, Registered {
  readonly row: string;
  readonly fingerprint: string;
  readonly lease: number;
  /** Set when the claim is no longer this hold's, or its ledger was closed. */
  lost = false;
  readonly #desk: Desk;
  readonly #holdings: Holdings;
  readonly #options: ClaimOptions;
  #owner: string;
  /** Set once only the same fingerprint may take the claim over, or have it back. */
  #pinned: boolean;
  #pinning: Promise<boolean> | undefined;
  #since: Elapsed | undefined;
  #ended = false;
  #renewing = false;
  /** Set once others may have seen this holder silent past its lease. */
  #wasSilent = false;

  /** `since` began before the claim was sent; a local hold has none. */
  constructor(
    desk: Desk,
    holdings: Holdings,
    row: string,
    fingerprint: string,
    owner: string,
    options: ClaimOptions,
    pinned: boolean,
    since: Elapsed | undefined,
  ) {
    this.row = row;
    this.fingerprint = fingerprint;
    this.lease = options.lease;
    this.#desk = desk;
    this.#holdings = holdings;
    this.#owner = owner;
    this.#options = options;
    this.#pinned = pinned;
    this.#since = since;
  }

  /** Milliseconds since the lease was last known to begin; 0 for a local hold. */
  age(): number {
    return this.#since === undefined ? 0 : this.#since.ms();
  }

  mayBegin(): boolean {
    return !this.lost && !this.#wasSilent && this.age() < this.lease / 2;
  }

  pin(): Awaitable<boolean> {
    if (this.#pinned) return true;
    if (this.#ended || this.lost) return false;
    if (this.#pinning !== undefined) return this.#pinning;
    const pinned = this.#pin();
    if (!isPromiseLike(pinned)) return pinned;
    // Effects that begin side by side pin once; one that failed to may be tried again.
    this.#pinning = Promise.resolve(pinned).finally(() => (this.#pinning = undefined));
    return this.#pinning;
  }

  #pin(): Awaitable<boolean> {
    const since = new Elapsed(this.#desk.clock);
    const owner = this.#owner + PINNED;
    const mark = inFlightMark(true, this.lease, this.fingerprint);
    return chain(this.#replace(this.#owner, this.#rowWith(mark, owner)), (done) => {
      if (!done) {
        this.lose();
        return false;
      }
      this.#owner = owner;
      this.#pinned = true;
      if (this.#since !== undefined) this.#since = since;
      return true;
    });
  }

  settle(outcome: string, keep: number): Awaitable<Settled> {
    if (outcome === "") throw new TypeError("An outcome is a text that is not empty");
    const row: Row = {
      owner: NOBODY,
      mark: settledMark(this.fingerprint),
      body: this.#desk.hide(outcome, this.row),
      bodyFor: keep,
      notAfter: this.#options.notAfter,
    };
    return this.#end(() =>
      chain(this.#replace(this.#owner, row), (done) =>
        done ? WON : this.#settleLate(row, outcome, 1),
      ),
    );
  }

  release(): Awaitable<void> {
    if (this.#pinned) return this.abandon();
    return this.#end(() =>
      chain(
        this.#desk.ask((store) => store.deleteIfOwner(this.row, this.#owner)),
        () => undefined,
      ),
    );
  }

  abandon(): Awaitable<void> {
    const row = this.#rowWith(abandonedMark(this.fingerprint));
    return this.#end(() => chain(this.#replace(this.#owner, row), () => undefined));
  }

  /** Starts the lease anew, unless the hold has ended. Never throws, never rejects. */
  renew(): void {
    if (this.#ended || this.lost || this.#renewing) return;
    this.#renewing = true;
    const since = new Elapsed(this.#desk.clock);
    const owner = this.#owner;
    const tied = this.#options.effect || this.#pinned;
    const row = this.#rowWith(inFlightMark(tied, this.lease, this.fingerprint));
    const failed = (error: unknown): void => {
      this.#renewing = false;
      if (!this.#ended) this.#desk.tell({ kind: "renewal_failed", row: this.row, error });
    };
    const answered = (renewed: boolean): void => {
      this.#renewing = false;
      // Being pinned or pinned meanwhile, the row is under another name, and its lease as new.
      if (this.#ended || this.#pinning !== undefined || this.#owner !== owner) return;
      if (renewed) {
        this.#wasSilent ||= this.age() >= this.lease;
        this.#since = since;
      } else this.lose();
    };
    try {
      const done = this.#replace(owner, row);
      if (isPromiseLike(done)) done.then(answered, failed);
      else answered(done);
    } catch (error) {
      failed(error);
    }
  }

  /** Notes that the claim is no longer this hold's. */
  lose(): void {
    this.lost = true;
    this.#holdings.leave(this);
    this.#desk.tell({ kind: "claim_lost", row: this.row });
  }

  #settleLate(row: Row, outcome: string, looks: number): Awaitable<Settled> {
    const found = this.#desk.ask((store) => store.insertOrGet(this.row, row, this.#options.holder));
    return chain(found, (standing) => {
      // Nothing stands against it: the row was given back, was lost by the store, or is over.
      if (standing.kind !== "present") return this.#settledLate();
      const mark = readMark(standing.row.mark);
      if (mark === undefined) throw this.#desk.garbled();
      // What stands is of other answers: it is not for this holder's caller.
      if (isTied(mark) && mark.fingerprint !== this.fingerprint) return this.#outrun(undefined);
      if (mark.kind === "settled") {
        const stands = this.#desk.show(standing.row.body, this.row);
        // This may be what an earlier try of ours wrote before its connection was cut.
        return stands === outcome ? WON : this.#outrun(stands);
      }
      return chain(this.#replace(standing.row.owner, row), (done) => {
        if (done) return this.#settledLate();
        if (looks < MOST_LOOKS) return this.#settleLate(row, outcome, looks + 1);
        throw new ParleyError(
          "store_unavailable",
          `The ${this.#desk.store.name} store changed a claim each time it was looked at`,
        );
      });
    });
  }

  #settledLate(): Settled {
    this.#desk.tell({ kind: "settled_late", row: this.row });
    return WON;
  }

  #outrun(outcome: string | undefined): Settled {
    this.#desk.tell({ kind: "outrun", row: this.row });
    return { won: false, outcome };
  }

  #rowWith(mark: string, owner = this.#owner): Row {
    const { notAfter } = this.#options;
    return { owner, mark, body: "", bodyFor: 0, notAfter };
  }

  #replace(owner: string, row: Row): Awaitable<boolean> {
    return this.#desk.ask((store) => store.replaceIfOwner(this.row, owner, row));
  }

  #end<T>(operation: () => Awaitable<T>): Awaitable<T> {
    this.#ended = true;
    let result: Awaitable<T>;
    try {
      result = insist(this.#desk.clock, operation);
    } catch (error) {
      this.#holdings.leave(this);
      throw error;
    }
    if (!isPromiseLike(result)) {
      this.#holdings.leave(this);
      return result;
    }
    return result.then(
      (value) => {
        this.#holdings.leave(this);
        return value;
      },
      (error: unknown) => {
        this.#holdings.leave(this);
        throw error;
      },
    );
  }
}
