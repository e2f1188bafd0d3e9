import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ParleyError } from "../../src/protocol/errors.js";
import { judgePostgres } from "../../src/store/postgres-failures.js";
import { migratePostgres } from "../../src/store/postgres-migrate.js";
import { postgresStore, type PostgresPool } from "../../src/store/postgres.js";
import type { Row } from "../../src/store/store.js";
import { newDatabase } from "../support/servers/databases.js";

const away: unknown = expect.objectContaining({ code: "store_unavailable" });
let url: string;
let pool: pg.Pool;
const pools: pg.Pool[] = [];

function newPool(options: pg.PoolConfig = {}): pg.Pool {
  const made = new pg.Pool({ connectionString: url, ...options });
  pools.push(made);
  return made;
}

beforeAll(async () => {
  url = await newDatabase();
  pool = newPool();
  await migratePostgres(pool);
});
afterAll(() => Promise.all(pools.map((made) => made.end())));

let names = 0;
const newName = (): string => `name-${names++}`;
const store = (change: { pool?: PostgresPool; timeout?: number } = {}) =>
  postgresStore({ pool, timeout: 10_000, ...change });

const row = (change: Partial<Row> = {}): Row => ({
  owner: "me",
  mark: "m",
  body: "",
  bodyFor: 0,
  notAfter: Date.now() + 60_000,
  ...change,
});

describe("a statement", () => {
  test("is prepared once per connection, under a name of its own", async () => {
    const mine = newPool({ max: 1 });
    const one = store({ pool: mine });
    expect(one).toMatchObject({ name: "postgres", survives: "fleet" });
    const name = newName();
    for (let index = 0; index < 16; index += 1) {
      await one.insertOrGet(name, row());
      await one.insertOrGet(name, row());
      await one.insertOrGet(name, row({ notAfter: 0 }));
      await one.replaceIfOwner(name, "me", row());
      await one.deleteIfOwner(name, "me");
    }
    const { rows } = await mine.query<{ name: string }>("SELECT name FROM pg_prepared_statements");
    const names = ["insert", "insert-or-get", "look", "read", "remove", "replace"];
    expect(rows.map((each) => each.name).sort()).toEqual(names.map((each) => `parley-${each}-3`));
  });

  /** A pool of one connection whose statements are kept, and answered as told. */
  function script(answer: (name: string) => Promise<unknown>) {
    const said: string[] = [];
    const released: (boolean | undefined)[] = [];
    const connection = {
      async query({ name = "session" }: { name?: string }) {
        said.push(name);
        return (name === "session" ? { rows: [], rowCount: 0 } : await answer(name)) as never;
      },
      release: (destroy?: boolean) => void released.push(destroy),
    };
    return { pool: { connect: async () => connection }, said, released };
  }
  const looks = (said: readonly string[]): number =>
    said.filter((name) => name === "parley-look-3").length;

  test("only reads where there is no time to insert for", async () => {
    const { pool: mine, said } = script(async () => ({ rows: [], rowCount: 0 }));
    expect(await store({ pool: mine }).insertOrGet("a", row({ notAfter: 0 }))).toEqual({
      kind: "past",
    });
    expect(said).toEqual(["session", "parley-read-3"]);
  });

  test("looks for what has expired at the 16th operation, and then at every 256th", async () => {
    const { pool: mine, said } = script(async () => ({ rows: [], rowCount: 0 }));
    const one = store({ pool: mine });
    const seen: number[] = [];
    for (let operations = 1; operations <= 16 + 2 * 256; operations += 1) {
      await one.deleteIfOwner("a", "me");
      if (looks(said) > seen.length) seen.push(operations);
    }
    expect(seen).toEqual([16, 16 + 256, 16 + 512]);
  });

  test.each([
    ["what the database said of it", "53100", "store_full", false],
    ["an error of the database's", "57014", "store_unavailable", true],
    ["a broken connection", "ECONNRESET", "store_unavailable", true],
  ])("keeps its connection, or throws it away, after %s", async (_of, code, told, destroyed) => {
    const failure = Object.assign(new Error("x"), { code });
    const { pool: mine, released } = script(() => Promise.reject(failure));
    await expect(store({ pool: mine }).deleteIfOwner("a", "me")).rejects.toMatchObject({
      code: told,
      cause: failure,
    });
    expect(new Set(released)).toEqual(new Set([destroyed]));
  });

  test("that takes too long has its connection thrown away, once", async () => {
    let late = (_answer: unknown): void => undefined;
    const answer = new Promise((resolve) => (late = resolve));
    const { pool: mine, released } = script(() => answer);
    await expect(store({ pool: mine, timeout: 20 }).deleteIfOwner("a", "me")).rejects.toThrow(away);
    expect(released).toEqual([true]);
    late({ rows: [], rowCount: 1 });
    await new Promise(setImmediate);
    expect(released).toEqual([true]);
  });
});

describe("a session", () => {
  test("is read committed and durable, whatever the database is content with", async () => {
    const own = newPool({ connectionString: await newDatabase() });
    await migratePostgres(own);
    await own.query(
      `CREATE TABLE told (isolation text, durable text, timeout text);
       CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO told VALUES (current_setting('transaction_isolation'),
           current_setting('synchronous_commit'), current_setting('statement_timeout'));
         RETURN NULL; END $$;
       CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON parley_rows
         FOR EACH ROW EXECUTE FUNCTION tell()`,
    );
    const settings = ["default_transaction_isolation=serializable", "synchronous_commit=off"];
    const careless = newPool({
      connectionString: own.options.connectionString,
      options: settings.map((setting) => `-c ${setting}`).join(" "),
    });
    const one = store({ pool: careless, timeout: 7_000 });
    await one.insertOrGet("a", row());
    await one.replaceIfOwner("a", "me", row());
    await one.deleteIfOwner("a", "me");
    const expected = { isolation: "read committed", durable: "on", timeout: "7s" };
    expect((await own.query("SELECT * FROM told")).rows).toEqual([expected, expected, expected]);
  });

  test("that waits for its replicas to have applied goes on doing so", async () => {
    const own = newPool({ max: 1, options: "-c synchronous_commit=remote_apply" });
    const one = store({ pool: own });
    await own.query("CREATE TABLE IF NOT EXISTS told_apply (durable text)");
    await own.query(
      `CREATE FUNCTION tell_apply() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO told_apply VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
       CREATE TRIGGER tell_apply AFTER INSERT ON parley_rows FOR EACH ROW EXECUTE FUNCTION tell_apply()`,
    );
    try {
      await one.insertOrGet(newName(), row());
      expect((await own.query("SELECT * FROM told_apply")).rows).toEqual([
        { durable: "remote_apply" },
      ]);
    } finally {
      await own.query("DROP TRIGGER tell_apply ON parley_rows");
    }
  });
});

describe("at the same time", () => {
  test.each(["read committed", "repeatable read", "serializable"])(
    "an insert that meets another always has a row to show (%s by default)",
    async (isolation) => {
      const crowd = newPool({
        max: 10,
        options: `-c default_transaction_isolation=${isolation.replace(" ", "\\ ")}`,
      });
      const one = store({ pool: crowd });
      for (let round = 0; round < 5; round += 1) {
        const name = newName();
        const all = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            one.insertOrGet(name, row({ owner: `o${index}` })),
          ),
        );
        expect(all.filter(({ kind }) => kind === "inserted")).toHaveLength(1);
        expect(all.filter(({ kind }) => kind === "present")).toHaveLength(19);
      }
    },
  );
});

describe("when something is wrong", () => {
  test("a connection that the server ends is made again", async () => {
    const mine = newPool({ max: 1 });
    const one = store({ pool: mine });
    const name = newName();
    await one.insertOrGet(name, row());
    const { rows } = await mine.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await pool.query("SELECT pg_terminate_backend($1, 5000)", [rows[0]?.pid]);
    expect(await one.insertOrGet(name, row())).toMatchObject({ kind: "present" });
    expect(await one.replaceIfOwner(name, "me", row())).toBe(true);
  });

  test("a connection that is ended within a statement is made again", async () => {
    const mine = newPool({ max: 1 });
    const one = store({ pool: mine });
    const name = newName();
    await one.insertOrGet(name, row());
    const { rows } = await mine.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const lock = await pool.connect();
    await lock.query("BEGIN");
    await lock.query("SELECT FROM parley_rows WHERE name = $1 FOR UPDATE", [name]);
    const replacing = one.replaceIfOwner(name, "me", row({ mark: "new" }));
    for (;;) {
      const waiting = await pool.query(
        "SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'",
        [rows[0]?.pid],
      );
      if (waiting.rowCount === 1) break;
    }
    await pool.query("SELECT pg_terminate_backend($1, 5000)", [rows[0]?.pid]);
    await lock.query("COMMIT");
    lock.release();
    expect(await replacing).toBe(true);
    expect(await one.insertOrGet(name, row())).toMatchObject({ row: { mark: "new" } });
  });

  test("a connection that breaks while it is handed over ends no process", async () => {
    const own = newPool({ max: 1 });
    const one = store({ pool: own });
    const broken = await new Promise((resolve) => {
      own.connect((_error, client, release) => {
        // Still within the pool's own doing: whoever waits for a connection has not run yet.
        resolve(client?.emit("error", new Error("terminating connection")));
        release(true);
      });
    });
    expect(broken).toBe(true);
    await one.ready();
  });

  test("a row that somebody has locked makes it unavailable for a bounded time", async () => {
    const name = newName();
    const one = store({ timeout: 300 });
    await one.insertOrGet(name, row());
    const lock = await pool.connect();
    await lock.query("BEGIN");
    await lock.query("SELECT FROM parley_rows WHERE name = $1 FOR UPDATE", [name]);
    const start = performance.now();
    await expect(one.replaceIfOwner(name, "me", row())).rejects.toThrow(away);
    expect(performance.now() - start).toBeLessThan(10_000);
    await lock.query("COMMIT");
    lock.release();
    expect(await store().replaceIfOwner(name, "me", row())).toBe(true);
  });

  test("a pool without a free connection is unavailable in time, and loses none", async () => {
    const small = newPool({ max: 1 });
    const busy = await small.connect();
    const one = store({ pool: small, timeout: 100 });
    await expect(one.insertOrGet(newName(), row())).rejects.toThrow("within 100 ms");
    busy.release();
    expect(await store({ pool: small }).insertOrGet(newName(), row())).toEqual({
      kind: "inserted",
    });
    expect(small.idleCount).toBe(1);
  });

  test("a server that nobody answers at is unavailable", async () => {
    const nowhere = newPool({ connectionString: "postgres://postgres@127.0.0.1:1/postgres" });
    await expect(store({ pool: nowhere }).ready()).rejects.toThrow(away);
  });

  test("a database that can't be written is unavailable, and well again later", async () => {
    const reader = newPool({ max: 1 });
    const one = store({ pool: reader });
    await one.ready();
    await reader.query("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
    await expect(one.insertOrGet(newName(), row())).rejects.toThrow(away);
    expect(await one.insertOrGet(newName(), row())).toEqual({ kind: "inserted" });
  });

  test("an answer that no store gives is unavailable", async () => {
    const odd = (rows: unknown[]): PostgresPool => ({
      connect: async () => ({
        query: async () => ({ rows, rowCount: rows.length }),
        release: () => undefined,
      }),
    });
    const texts = [
      "",
      "{}",
      "7",
      "null",
      "[1]",
      '["a","b","c","x"]',
      '["a","b",null,0]',
      '[1,"b","c",0]',
      '["a",1,"c",0]',
    ];
    for (const answer of [
      null,
      7,
      {},
      { standing: 7 },
      ...texts.map((standing) => ({ standing })),
    ]) {
      const told = store({ pool: odd([answer]) }).insertOrGet("a", row());
      await expect(told).rejects.toThrow("postgres store answered with a row that no store wrote");
    }
  });

  test("failures are judged by their code alone", () => {
    const judged = (code?: unknown) => judgePostgres(Object.assign(new Error("x"), { code }));
    for (const code of ["40001", "40P01", "08006", "57P01", "57P03", "ECONNRESET", undefined, 5]) {
      expect(judged(code)).toBe("again");
    }
    expect(judged("42P01")).toMatchObject({ code: "usage" });
    expect(judged("53100")).toMatchObject({ code: "store_full" });
    for (const code of ["57014", "25006", "42501", "57P05"]) {
      expect(judged(code)).toMatchObject({ code: "store_unavailable" });
    }
    expect(judgePostgres(null)).toBe("again");
    expect(judged("53100")).toMatchObject({
      message: expect.stringContaining("make room") as string,
    });
    expect(judged("42501")).toMatchObject({
      message: "The postgres store answered SQLSTATE 42501: see the cause",
      cause: expect.objectContaining({ code: "42501" }) as unknown,
    });
    expect(judged("42P01")).toMatchObject({
      cause: expect.objectContaining({ code: "42P01" }) as unknown,
    });
    for (const code of ["x08006", "08006x", "4250"]) expect(judged(code)).toBe("again");
    const ours = new ParleyError("usage", "x");
    expect(judgePostgres(ours)).toBe(ours);
  });
});

describe("tidying up", () => {
  /** Tables with so many rows of each kind, in an order of names that mixes them. */
  async function tables(ended: number, emptied: number, live: number): Promise<pg.Pool> {
    const mine = newPool({ connectionString: await newDatabase() });
    await migratePostgres(mine);
    const later = Date.now() + 600_000;
    const insert = (count: number, body: string, bodyUntil: number, notAfter: number) =>
      mine.query(
        `INSERT INTO parley_rows SELECT md5($1 || i), 'o', 'm', $1, $2, $3, 1
         FROM generate_series(1, $4::int) i`,
        [body, bodyUntil, notAfter, count],
      );
    await insert(ended, "ended", later, 1);
    await insert(1, "lately", later, Date.now() - 1_000);
    await insert(emptied, "emptied", 1, later);
    await insert(live, "live", later, later);
    return mine;
  }

  /** How many rows and bodies are left once the store was used so often. */
  async function left(mine: pg.Pool, operations: number): Promise<() => Promise<unknown>> {
    const one = store({ pool: mine });
    for (let index = 0; index < operations; index += 1) await one.deleteIfOwner("n", "me");
    return async () => {
      const { rows } = await mine.query(
        "SELECT count(*)::int AS rows, count(*) FILTER (WHERE body <> '')::int AS bodies FROM parley_rows",
      );
      return rows[0] as unknown;
    };
  }

  test("clears what has long expired, rows and bodies, as it goes", async () => {
    const { options } = await tables(300, 9, 20);
    const mine = newPool({ ...options, max: 1 });
    await expect.poll(await left(mine, 16 + 256)).toEqual({ rows: 30, bodies: 21 });
    const { rows } = await mine.query<{ name: string }>("SELECT name FROM pg_prepared_statements");
    const names = ["clear", "empty", "look", "remove"];
    expect(rows.map((each) => each.name).sort()).toEqual(names.map((each) => `parley-${each}-3`));
  });

  test("walks through any number of rows, round and round", async () => {
    const mine = await tables(1_000, 500, 700);
    await expect.poll(await left(mine, 16 + 8 * 256)).toEqual({ rows: 1_201, bodies: 701 });
    await mine.query("UPDATE parley_rows SET not_after = 1 WHERE body = 'live'");
    await expect.poll(await left(mine, 16 + 6 * 256)).toEqual({ rows: 501, bodies: 1 });
  });

  test("reads no table from end to end, however large, and nor does anything else", async () => {
    const mine = await tables(2_000, 2_000, 20_000);
    await mine.query("ANALYZE parley_rows");
    const scans = async (): Promise<{ whole: number; byName: number }> => {
      const { rows } = await mine.query<{ whole: number; byname: number }>(
        "SELECT seq_scan::int AS whole, idx_scan::int AS byname FROM pg_stat_user_tables WHERE relname = 'parley_rows'",
      );
      return { whole: rows[0]?.whole ?? NaN, byName: rows[0]?.byname ?? NaN };
    };
    await expect.poll(async () => (await scans()).whole).toBeGreaterThan(0); // what tables() read
    const one = store({ pool: mine });
    const before = await scans();
    for (let index = 0; index < 16 + 2 * 256; index += 1) {
      const name = `name-${String(index)}`;
      await one.insertOrGet(name, row());
      await one.insertOrGet(name, row());
      await one.replaceIfOwner(name, "me", row());
      await one.deleteIfOwner(name, "me");
    }
    await expect
      .poll(async () => (await scans()).byName - before.byName, { timeout: 20_000 })
      .toBeGreaterThan(4 * 512);
    expect((await scans()).whole).toBe(before.whole);
  });

  test("passes by what somebody is at", async () => {
    const mine = await tables(10, 0, 0);
    const lock = await mine.connect();
    await lock.query("BEGIN");
    await lock.query("SELECT FROM parley_rows WHERE name = md5('ended1') FOR UPDATE");
    await expect.poll(await left(mine, 16 + 256)).toEqual({ rows: 2, bodies: 2 });
    await lock.query("COMMIT");
    lock.release();
    await expect.poll(await left(mine, 16 + 256)).toEqual({ rows: 1, bodies: 1 });
  });
});
