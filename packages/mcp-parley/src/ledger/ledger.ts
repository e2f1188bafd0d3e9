import type { Awaitable } from "../protocol/json.js";

/** What a claim asks for. Times in ms. */
export interface ClaimOptions {
  /** When the claim's row ends, in ms since 1970: past it nothing is fresh. */
  readonly notAfter: number;
  /** How long the claimer may be silent before it counts as gone. */
  readonly lease: number;
  /** True when the claim guards an effect: if its claimer vanishes the outcome is unknown. */
  readonly effect: boolean;
  /** Whose share of the store it takes. */
  readonly holder: string | undefined;
}

/** What claiming came to: the outcomes stay different everywhere. */
export type Claimed =
  /** The caller is the one to act, and holds the claim. */
  | { kind: "fresh"; hold: Hold }
  /** Somebody else is at it; `wait` resolves once that may have changed, or after `ms`. */
  | { kind: "in_flight"; wait: (ms: number) => Promise<void> }
  /** It is done. `outcome` is undefined once the stored result is no longer kept. */
  | { kind: "settled"; outcome: string | undefined }
  /** It was claimed with another fingerprint. */
  | { kind: "mismatch" }
  /** The claimer vanished with an effect begun. `take` makes the caller the holder, if nobody else was quicker. */
  | { kind: "indeterminate"; take: () => Awaitable<Claimed> }
  /** Its time is over. */
  | { kind: "past" };

/** A claim that is held. Settle, release or abandon it. */
export interface Hold {
  /**
   * Whether an effect may still begin under this claim: false after half the lease, when another
   * instance may soon believe this one gone.
   */
  mayBegin(): boolean;
  /**
   * Ties the claim to its fingerprint, as an effect is about to begin in what it guards: taken over
   * or given back, it is from now on `mismatch` for every other one. False if the claim is
   * somebody else's by now: then nothing may begin.
   */
  pin(): Awaitable<boolean>;
  /**
   * Records the outcome for everyone who asks for as long as `keep` ms, and the mark until
   * `notAfter`. Whoever lost the claim meanwhile gets the outcome that stands.
   */
  settle(
    outcome: string,
    keep: number,
  ): Awaitable<{ won: true } | { won: false; outcome: string | undefined }>;
  /** Gives the claim back as if it had never been made; a pinned one only to its fingerprint. */
  release(): Awaitable<void>;
  /**
   * Says that the outcome is not known and that the holder has given up: from now on the claim is
   * `indeterminate` for everyone, without waiting for the lease. A later `settle` still heals it.
   */
  abandon(): Awaitable<void>;
}

/** At most once, over any store. */
export interface Ledger {
  claim(id: string, fingerprint: string, options: ClaimOptions): Awaitable<Claimed>;
  /** Sealed into each state, so that a store that lost its memory is noticed; null where the store is this process's own. */
  epoch(): Awaitable<string | null>;
}
