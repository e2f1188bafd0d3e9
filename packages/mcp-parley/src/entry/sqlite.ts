// A store in a SQLite file, for the processes of one machine. See docs/at-most-once.md.
import {
  sqliteStore as overClock,
  type SqliteStore,
  type SqliteStoreOptions,
} from "../store/sqlite.js";

/**
 * A store in a SQLite file: what is claimed outlives the process and a power failure, and guards
 * every process of one machine. For `better-sqlite3` 11 or later, and for `node:sqlite`.
 *
 * Its table is made on first use. Operations are synchronous, and wait at most `timeout` ms for
 * another process that is writing. They throw `store_unavailable`, or `store_full` when the disk
 * is. Throws a TypeError or RangeError for options out of range.
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  return overClock(options);
}

export type {
  SqliteDatabase,
  SqliteStatement,
  SqliteStore,
  SqliteStoreOptions,
} from "../store/sqlite.js";
export type { Inserted, Row, Store, Stored } from "../store/store.js";
export { isParleyError, ParleyError } from "../protocol/errors.js";
