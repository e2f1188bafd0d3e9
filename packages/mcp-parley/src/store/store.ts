import type { Awaitable } from "../protocol/json.js";

/** What one row holds. Names and values are opaque to the store. */
export interface Row {
  /** Who may replace or delete the row: a random token chosen by the caller. */
  owner: string;
  /** Kept as long as the row: a few dozen bytes. */
  mark: string;
  /** May be dropped from `bodyFor` ms after the write on; what is read then is the empty string. */
  body: string;
  /** How long `body` is kept after this write, in ms. */
  bodyFor: number;
  /** When the row ends, in ms since 1970. Past it by the store's own clock the row does not exist. */
  notAfter: number;
}

/** A row as it stands. */
export interface Stored {
  owner: string;
  mark: string;
  body: string;
  /** Milliseconds since the row was last written, by the store's own clock. */
  age: number;
}

/**
 * What an insert came to: `present` with the row that stands, if a live one does, whatever the
 * caller's `notAfter`; else `past`, when that lies behind the store's own clock, so that nothing is
 * fresh after its row is gone; else `inserted`. So a `notAfter` of 0 only reads.
 */
export type Inserted = { kind: "inserted" } | { kind: "present"; row: Stored } | { kind: "past" };

/**
 * Three atomic operations with expiry, each decided by one statement of the underlying database.
 *
 * 1. Of any number of concurrent `insertOrGet` of one name, exactly one is `inserted`.
 * 2. `replaceIfOwner` and `deleteIfOwner` act only on a live row whose owner is `owner`.
 * 3. Expiry is judged by the store's own clock, in the statement that acts.
 * 4. A live row is never evicted. A full store refuses with `store_full`, and refuses the
 *    `holder` that takes more than its share before it refuses everyone.
 * 5. An operation that cannot be carried out fails with `store_unavailable` within a bounded time.
 *    It may have been carried out all the same, then or a little later.
 * 6. An operation whose connection was cut may be carried out twice. Then an insert finds the
 *    caller's own row, and a replacement or deletion says false: whoever cares looks again.
 */
export interface Store {
  /** A short name for messages, such as `memory` or `redis`. */
  readonly name: string;
  /** What the store outlives: `process` (nothing), `machine` (a restart), `fleet` (any one machine). */
  readonly survives: "process" | "machine" | "fleet";
  /** `holder` says whose share of the room the row takes. */
  insertOrGet(name: string, row: Row, holder?: string): Awaitable<Inserted>;
  /** True if the row was live, was `owner`'s, and now is `row`. */
  replaceIfOwner(name: string, owner: string, row: Row): Awaitable<boolean>;
  /** True if the row was live, was `owner`'s, and is gone. */
  deleteIfOwner(name: string, owner: string): Awaitable<boolean>;
  /** Releases connections and timers the store opened itself. */
  close?(): Awaitable<void>;
}
