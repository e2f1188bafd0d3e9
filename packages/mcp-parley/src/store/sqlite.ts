import { isParleyError, ParleyError } from "../protocol/errors.js";
import { isObject } from "../protocol/json.js";
import { checkedTimeout, unavailable } from "./in-time.js";
import type { Inserted, Row, Store, Stored } from "./store.js";
import { wholeMs } from "./whole-ms.js";

/** A prepared statement, as `better-sqlite3` and `node:sqlite` have it. */
export interface SqliteStatement {
  get(...values: (string | number)[]): unknown;
  run(...values: (string | number)[]): { changes: number | bigint };
}

/** An open database, as `better-sqlite3` and `node:sqlite` have it. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** What a {@link sqliteStore} is made of. */
export interface SqliteStoreOptions {
  /** A connection of the store's own, to a file on a local disk. */
  readonly database: SqliteDatabase;
  /**
   * `full`, the default: what is claimed stays claimed when the power fails. `normal`: five times
   * as fast; a power failure may undo the last moments, a crash of the process undoes nothing.
   */
  readonly synchronous?: "full" | "normal";
  /** How long to wait for another process that is writing, in ms. Default 2000. Nothing else runs meanwhile. */
  readonly timeout?: number;
}

/** A {@link Store} in a file, which answers at once. */
export interface SqliteStore extends Store {
  readonly survives: "machine";
  insertOrGet(name: string, row: Row, holder?: string): Inserted;
  replaceIfOwner(name: string, owner: string, row: Row): boolean;
  deleteIfOwner(name: string, owner: string): boolean;
}

/** Milliseconds since 1970 by SQLite's own clock, the same throughout a statement. */
const CLOCK = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";

/** Writes between two rounds of tidying up; each clears twice as many expired rows. */
const TIDY_EVERY = 256;
const TIDIED_AT_ONCE = 2 * TIDY_EVERY;

/** Rows may come and go between an insert that finds one and the look at it; not this often. */
const MOST_LOOKS = 10;

const SQLITE_FULL = 13;

/**
 * Rows in a SQLite file, shared by the processes of one machine. Its tables are made on first use.
 *
 * 1. Each operation is one statement in a transaction of its own, synchronous like SQLite itself.
 * 2. Failing is without consequence: the next operation starts anew.
 */
export function sqliteStore(options: SqliteStoreOptions, clock: string = CLOCK): SqliteStore {
  return new Sqlite(
    options.database,
    options.synchronous ?? "full",
    checkedTimeout(options.timeout),
    clock,
  );
}

interface Statements {
  readonly insert: SqliteStatement;
  readonly read: SqliteStatement;
  readonly ahead: SqliteStatement;
  readonly replace: SqliteStatement;
  readonly remove: SqliteStatement;
  readonly clearRows: SqliteStatement;
  readonly clearBodies: SqliteStatement;
}

class Sqlite implements SqliteStore {
  readonly name = "sqlite";
  readonly survives = "machine";
  readonly #database: SqliteDatabase;
  readonly #synchronous: "full" | "normal";
  readonly #timeout: number;
  readonly #clock: string;
  #statements: Statements | undefined;
  #writes = 0;

  constructor(
    database: SqliteDatabase,
    synchronous: "full" | "normal",
    timeout: number,
    clock: string,
  ) {
    this.#database = database;
    this.#synchronous = synchronous;
    this.#timeout = timeout;
    this.#clock = clock;
  }

  insertOrGet(name: string, row: Row): Inserted {
    return this.#carryOut((statements) => {
      const notAfter = wholeMs(row.notAfter);
      for (let look = 0; look < MOST_LOOKS; look += 1) {
        const inserted = notAfter > 0 && statements.insert.get(name, ...values(row), notAfter);
        if (isObject(inserted)) return { kind: "inserted" };
        const found = statements.read.get(name);
        if (isObject(found)) return { kind: "present", row: stored(found) };
        if (!isObject(statements.ahead.get(notAfter))) return { kind: "past" };
      }
      throw unavailable("sqlite", "changed a row each time it was looked at");
    });
  }

  replaceIfOwner(name: string, owner: string, row: Row): boolean {
    return this.#carryOut(({ replace }) => {
      return Number(replace.run(...values(row), name, owner).changes) === 1;
    });
  }

  deleteIfOwner(name: string, owner: string): boolean {
    return this.#carryOut(({ remove }) => Number(remove.run(name, owner).changes) === 1);
  }

  #carryOut<T>(operation: (statements: Statements) => T): T {
    try {
      this.#statements ??= this.#prepare();
      const result = operation(this.#statements);
      this.#tidy(this.#statements);
      return result;
    } catch (error) {
      throw judged(error);
    }
  }

  /** Clears some of what has expired, every now and then. */
  #tidy(statements: Statements): void {
    this.#writes += 1;
    if (this.#writes < TIDY_EVERY) return;
    this.#writes = 0;
    try {
      statements.clearRows.run(TIDIED_AT_ONCE);
      statements.clearBodies.run(TIDIED_AT_ONCE);
    } catch {
      // What was asked for is done; the next round clears what this one could not.
    }
  }

  #prepare(): Statements {
    const database = this.#database;
    const now = this.#clock;
    database.exec(`PRAGMA busy_timeout = ${Math.ceil(this.#timeout)}`);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${this.#synchronous}`);
    database.exec(TABLES);
    return {
      insert: database.prepare(
        `INSERT INTO parley_rows (name, owner, mark, body, body_until, not_after, written)
         SELECT ?, ?, ?, ?, ${now} + ?, ?, ${now} WHERE ? > ${now}
         ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, mark = excluded.mark,
           body = excluded.body, body_until = excluded.body_until,
           not_after = excluded.not_after, written = excluded.written
         WHERE parley_rows.not_after <= excluded.written
         RETURNING 1 AS inserted`,
      ),
      read: database.prepare(
        `SELECT owner, mark, CASE WHEN body_until > ${now} THEN body ELSE '' END AS body,
           MAX(0, ${now} - written) AS age
         FROM parley_rows WHERE name = ? AND not_after > ${now}`,
      ),
      ahead: database.prepare(`SELECT 1 AS ahead WHERE ? > ${now}`),
      replace: database.prepare(
        `UPDATE parley_rows SET owner = ?, mark = ?, body = ?, body_until = ${now} + ?,
           not_after = ?, written = ${now}
         WHERE name = ? AND owner = ? AND not_after > ${now}`,
      ),
      remove: database.prepare(
        `DELETE FROM parley_rows WHERE name = ? AND owner = ? AND not_after > ${now}`,
      ),
      clearRows: database.prepare(
        `DELETE FROM parley_rows WHERE name IN
           (SELECT name FROM parley_rows WHERE not_after <= ${now} LIMIT ?)`,
      ),
      clearBodies: database.prepare(
        `UPDATE parley_rows SET body = '' WHERE name IN
           (SELECT name FROM parley_rows WHERE body <> '' AND body_until <= ${now} LIMIT ?)`,
      ),
    };
  }
}

const TABLES = `
CREATE TABLE IF NOT EXISTS parley_rows (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  mark TEXT NOT NULL,
  body TEXT NOT NULL,
  body_until INTEGER NOT NULL,
  not_after INTEGER NOT NULL,
  written INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS parley_rows_end ON parley_rows (not_after);
CREATE INDEX IF NOT EXISTS parley_rows_bodies ON parley_rows (body_until) WHERE body <> '';
`;

/** A row's columns but its name, in the order of the statements. */
function values(row: Row): [string, string, string, number, number] {
  return [row.owner, row.mark, row.body, wholeMs(row.bodyFor), wholeMs(row.notAfter)];
}

function stored(found: Record<string, unknown>): Stored {
  const { owner, mark, body, age } = found;
  if (
    typeof owner !== "string" ||
    typeof mark !== "string" ||
    typeof body !== "string" ||
    (typeof age !== "number" && typeof age !== "bigint")
  ) {
    throw unavailable("sqlite", "answered with a row that no store wrote");
  }
  return { owner, mark, body, age: Number(age) };
}

/** `better-sqlite3` names the failure in `code`, `node:sqlite` numbers it in `errcode`. */
function judged(error: unknown): ParleyError {
  if (isParleyError(error)) return error;
  const { code, errcode } = isObject(error) ? error : {};
  if (code === "SQLITE_FULL" || errcode === SQLITE_FULL) {
    return new ParleyError(
      "store_full",
      "The disk of the sqlite store is full: make room, or shorten the life of states",
      { cause: error },
    );
  }
  return unavailable("sqlite", "failed: see the cause", error);
}
