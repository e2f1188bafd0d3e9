import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { sqliteStore, type SqliteDatabase } from "../../src/store/sqlite.js";
import type { Row } from "../../src/store/store.js";

const folder = mkdtempSync(path.join(tmpdir(), "parley-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

const away: unknown = expect.objectContaining({ code: "store_unavailable" });
const full: unknown = expect.objectContaining({ code: "store_full" });
let file: string;
let files = 0;
let open: Database.Database[] = [];

beforeEach(() => {
  file = path.join(folder, `${files++}.db`);
});
afterEach(() => {
  for (const database of open) database.close();
  open = [];
});

function connect(options: Database.Options = {}): Database.Database {
  const database = new Database(file, options);
  open.push(database);
  return database;
}

const row = (change: Partial<Row> = {}): Row => ({
  owner: "me",
  mark: "m",
  body: "",
  bodyFor: 0,
  notAfter: Date.now() + 60_000,
  ...change,
});

describe("a SQLite file", () => {
  test("is shared by several connections, and outlives them", () => {
    const [one, two] = [connect(), connect()];
    const left = sqliteStore({ database: one });
    const right = sqliteStore({ database: two });
    expect(left.insertOrGet("a", row())).toEqual({ kind: "inserted" });
    expect(right.insertOrGet("a", row({ owner: "other" }))).toMatchObject({ row: { owner: "me" } });
    one.close();
    two.close();
    const later = sqliteStore({ database: connect() });
    expect(later.insertOrGet("a", row())).toMatchObject({ kind: "present" });
  });

  test("is written through a log and to the disk, unless told otherwise", () => {
    const database = connect();
    sqliteStore({ database }).insertOrGet("a", row());
    expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(database.pragma("synchronous", { simple: true })).toBe(2);
    expect(database.pragma("busy_timeout", { simple: true })).toBe(2_000);
    const faster = connect();
    sqliteStore({ database: faster, synchronous: "normal", timeout: 50 }).insertOrGet("b", row());
    expect(faster.pragma("synchronous", { simple: true })).toBe(1);
    expect(faster.pragma("busy_timeout", { simple: true })).toBe(50);
  });

  test("says what it is", () => {
    const store = sqliteStore({ database: connect() });
    expect(store).toMatchObject({ name: "sqlite", survives: "machine" });
  });

  test("may be read by a connection that gives big integers", () => {
    const store = sqliteStore({ database: connect().defaultSafeIntegers() });
    store.insertOrGet("a", row());
    const age: unknown = expect.any(Number);
    expect(store.insertOrGet("a", row())).toMatchObject({ row: { age } });
    expect(store.replaceIfOwner("a", "me", row())).toBe(true);
    expect(store.deleteIfOwner("a", "me")).toBe(true);
  });

  test("takes SQLite's own clock for the time", () => {
    const store = sqliteStore({ database: connect() });
    const now = Date.now();
    expect(store.insertOrGet("a", row({ notAfter: now - 5_000 }))).toEqual({ kind: "past" });
    expect(store.insertOrGet("a", row({ notAfter: now + 5_000 }))).toEqual({ kind: "inserted" });
    const found = store.insertOrGet("a", row());
    expect(found).toMatchObject({ kind: "present" });
    if (found.kind === "present") expect(found.row.age).toBeLessThan(5_000);
  });

  test("reads without writing", () => {
    const writer = sqliteStore({ database: connect() });
    writer.insertOrGet("a", row());
    const lock = connect();
    lock.exec("BEGIN IMMEDIATE");
    const reader = sqliteStore({ database: connect(), timeout: 10 });
    expect(() => reader.insertOrGet("a", row())).toThrow(away);
    lock.exec("COMMIT");
    reader.insertOrGet("a", row());
    lock.exec("BEGIN IMMEDIATE");
    expect(reader.insertOrGet("a", row({ notAfter: 0 }))).toMatchObject({ kind: "present" });
  });

  test("clears what has expired, rows and bodies, as it goes", () => {
    const database = connect();
    const store = sqliteStore({ database, synchronous: "normal" });
    const soon = Date.now() + 60_000;
    for (let index = 0; index < 100; index += 1) {
      store.insertOrGet(`row${index}`, row());
      store.insertOrGet(`body${index}`, row({ body: "text", bodyFor: 60_000, notAfter: soon * 2 }));
    }
    database.exec("UPDATE parley_rows SET not_after = 1 WHERE name LIKE 'row%'");
    database.exec("UPDATE parley_rows SET body_until = 1 WHERE name LIKE 'body%'");
    const count = (where: string) =>
      database.prepare(`SELECT count(*) AS n FROM parley_rows WHERE ${where}`).get();
    // Not at each call, since that would cost each of them.
    for (let index = 0; index < 10; index += 1) store.deleteIfOwner("none", "me");
    expect(count("not_after = 1")).toEqual({ n: 100 });
    for (let index = 0; index < 246; index += 1) store.deleteIfOwner("none", "me");
    expect(count("TRUE")).toEqual({ n: 100 });
    expect(count("body <> ''")).toEqual({ n: 0 });
  });
});

describe("when something is wrong", () => {
  test("another process that holds the file makes it unavailable for a bounded time", () => {
    const store = sqliteStore({ database: connect(), timeout: 100 });
    store.insertOrGet("a", row());
    const other = connect();
    other.exec("BEGIN IMMEDIATE");
    const start = performance.now();
    expect(() => store.insertOrGet("b", row())).toThrow(away);
    expect(() => store.replaceIfOwner("a", "me", row())).toThrow(away);
    expect(() => store.deleteIfOwner("a", "me")).toThrow(away);
    expect(performance.now() - start).toBeLessThan(5_000);
    other.exec("COMMIT");
    expect(store.insertOrGet("b", row())).toEqual({ kind: "inserted" });
    expect(store.insertOrGet("a", row())).toMatchObject({ kind: "present" });
  });

  test("a file that can't be written is unavailable", () => {
    sqliteStore({ database: connect() }).insertOrGet("a", row());
    const store = sqliteStore({ database: connect({ readonly: true }) });
    expect(() => store.insertOrGet("b", row())).toThrow(away);
  });

  test("a full disk is full, and is well again with room", () => {
    const database = connect();
    const store = sqliteStore({ database });
    store.insertOrGet("a", row());
    database.pragma("max_page_count = 10");
    const big = row({ body: "x".repeat(100_000), bodyFor: 1_000 });
    expect(() => store.insertOrGet("b", big)).toThrow(full);
    expect(() => store.insertOrGet("b", big)).toThrow(/make room/);
    const cause: unknown = expect.objectContaining({ cause: { code: "SQLITE_FULL" } });
    expect(() => store.insertOrGet("b", big)).toThrow(cause);
    database.pragma("max_page_count = 1000");
    expect(store.insertOrGet("b", big)).toEqual({ kind: "inserted" });
  });

  test("a full disk is full by the number that node:sqlite gives it", () => {
    const failing: SqliteDatabase = {
      exec: () => undefined,
      prepare: () => {
        throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
      },
    };
    expect(() => sqliteStore({ database: failing }).deleteIfOwner("a", "me")).toThrow(full);
  });

  test.each([undefined, "text", new Error("odd")])("a failure with %s is away", (failure) => {
    const fail = (): never => {
      throw failure as Error; // Whatever a driver throws.
    };
    const failing: SqliteDatabase = { exec: fail, prepare: fail };
    const ask = (): unknown => sqliteStore({ database: failing }).deleteIfOwner("a", "me");
    expect(ask).toThrow(away);
    expect(ask).toThrow("The sqlite store failed: see the cause");
  });

  test("a closed database is unavailable", () => {
    const database = connect();
    const store = sqliteStore({ database });
    store.insertOrGet("a", row());
    database.close();
    expect(() => store.insertOrGet("a", row())).toThrow(away);
  });

  test("a table that is not the store's is unavailable", () => {
    const database = connect();
    database.exec("CREATE TABLE parley_rows (name TEXT)");
    expect(() => sqliteStore({ database }).insertOrGet("a", row())).toThrow(away);
  });

  test.each(["owner", "mark", "body"])("a row whose %s no store wrote is unavailable", (column) => {
    const database = connect();
    const store = sqliteStore({ database });
    store.insertOrGet("a", row({ body: "text", bodyFor: 60_000 }));
    database.exec(`UPDATE parley_rows SET ${column} = x'00ff'`);
    expect(() => store.insertOrGet("a", row())).toThrow(/no store wrote/);
  });

  test("a row whose age is no number is unavailable", () => {
    const found = { owner: "me", mark: "m", body: "", age: "old" };
    const odd: SqliteDatabase = {
      exec: () => undefined,
      prepare: () => ({ get: () => found, run: () => ({ changes: 0 }) }),
    };
    const reading = row({ notAfter: 0 });
    expect(() => sqliteStore({ database: odd }).insertOrGet("a", reading)).toThrow(
      /no store wrote/,
    );
  });

  test("tidying up that fails does not fail what was asked for", () => {
    const database = connect();
    const store = sqliteStore({ database });
    store.insertOrGet("a", row({ body: "text", bodyFor: 60_000 }));
    database.exec("UPDATE parley_rows SET body_until = 1");
    database.exec(
      "CREATE TRIGGER no BEFORE UPDATE ON parley_rows BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    for (let index = 0; index < 300; index += 1) {
      expect(store.deleteIfOwner("none", "me")).toBe(false);
    }
  });

  test("a row that comes and goes between two looks is looked at again, ten times at most", () => {
    const nothing = { get: () => undefined, run: () => ({ changes: 0 }) };
    let looks = 0;
    const flickering: SqliteDatabase = {
      exec: () => undefined,
      prepare: (sql) =>
        sql.startsWith("SELECT 1")
          ? { ...nothing, get: () => ((looks += 1), { ahead: 1 }) }
          : nothing,
    };
    const store = sqliteStore({ database: flickering });
    expect(() => store.insertOrGet("a", row())).toThrow("The sqlite store changed a row each time");
    expect(looks).toBe(10);
  });

  test.each([0, -1, 60_001])("a time limit of %s is a RangeError", (timeout) => {
    expect(() => sqliteStore({ database: connect(), timeout })).toThrow(RangeError);
  });
});
