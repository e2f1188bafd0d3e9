// A store in PostgreSQL, for a fleet. See docs/at-most-once.md.
import {
  postgresStore as overClock,
  type PostgresStore,
  type PostgresStoreOptions,
} from "../store/postgres.js";

/**
 * A store in PostgreSQL 12 or later, by a pool of `pg`: guards a fleet, and what it has answered
 * is on disk. Make its tables first, with {@link migratePostgres} or `parley store migrate URL`.
 *
 * Operations fail with `store_unavailable` within `timeout` ms, with `store_full` when the disk
 * is, and with `usage` while there are no tables.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  return overClock(options);
}

export { migratePostgres } from "../store/postgres-migrate.js";
export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
  PostgresStore,
  PostgresStoreOptions,
} from "../store/postgres.js";
export type { Inserted, Row, Store, Stored } from "../store/store.js";
export { isParleyError, ParleyError } from "../protocol/errors.js";
