import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { Redis as IoRedis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { memoryStore } from "../../src/store/memory.js";
import { migratePostgres } from "../../src/store/postgres-migrate.js";
import { POSTGRES_CLOCK } from "../../src/store/postgres-statements.js";
import { postgresStore } from "../../src/store/postgres.js";
import { sending, type RedisClient } from "../../src/store/redis-client.js";
import { REDIS_CLOCK } from "../../src/store/redis-scripts.js";
import { redisStore } from "../../src/store/redis.js";
import { sqliteStore } from "../../src/store/sqlite.js";
import type { Store } from "../../src/store/store.js";
import { newDatabase } from "./servers/databases.js";
import { sharedRedis } from "./servers/shared.js";

/** A database of a store's kind, whose own clock can be put forward. */
export interface Ground {
  /** A store over it, as another process would open one; in memory there is but one. */
  open(): Store;
  /** The database's own clock, in ms since 1970. */
  now(): Promise<number>;
  advance(ms: number): Promise<void>;
  /** Everything that lies in it, as text. */
  dump(): Promise<string>;
  /** Forgets everything, as a server that comes back empty. */
  wipe(): Promise<void>;
  close(): Promise<void>;
}

function memory(): Ground {
  let skew = 0;
  const now = (): number => Date.now() + skew;
  const store = memoryStore({}, now);
  return {
    open: () => store,
    now: async () => now(),
    advance: async (ms) => void (skew += ms),
    dump: async () => "",
    wipe: async () => undefined,
    close: async () => undefined,
  };
}

function sqlite(): Ground {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-sqlite-"));
  const database = new Database(path.join(folder, "rows.db"));
  database.exec("CREATE TABLE skew (ms INTEGER); INSERT INTO skew VALUES (0)");
  const clock =
    "(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER) + (SELECT ms FROM skew))";
  const open = (): Store => sqliteStore({ database, synchronous: "normal" }, clock);
  void open().deleteIfOwner("none", "nobody");
  return {
    open,
    now: async () => (database.prepare(`SELECT ${clock} AS now`).get() as { now: number }).now,
    advance: async (ms) => void database.prepare("UPDATE skew SET ms = ms + ?").run(ms),
    dump: async () => JSON.stringify(database.prepare("SELECT * FROM parley_rows").all()),
    wipe: async () => void database.exec("DELETE FROM parley_rows"),
    close: async () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** What each store's server puts its clock forward by stands under a key of its own. */
function redisOver(client: RedisClient, close: () => unknown): Ground {
  const prefix = `${randomBytes(8).toString("hex")}:`;
  const skew = `${prefix}skew`;
  const clock = `(${REDIS_CLOCK} + (redis.call('GET', '${skew}') or 0))`;
  const send = sending(client);
  const keys = async (): Promise<string[]> => {
    const all = (await send(["KEYS", `${prefix}*`])) as string[];
    return all.filter((key) => key !== skew);
  };
  return {
    open: () => redisStore({ client, prefix }, clock),
    now: async () =>
      Number(await send(["EVAL", `local time = redis.call('TIME') return ${clock}`, "0"])),
    advance: async (ms) => {
      await send(["INCRBY", skew, String(ms)]);
    },
    dump: async () => {
      const rows = (await keys()).map(async (key) => `${key} ${String(await send(["GET", key]))}`);
      return (await Promise.all(rows)).join("\n");
    },
    wipe: async () => {
      await send(["DEL", skew + "none", ...(await keys())]);
    },
    close: async () => {
      await close();
    },
  };
}

async function nodeRedis(): Promise<Ground> {
  const client = createClient({ url: (await sharedRedis()).url });
  await client.connect();
  return redisOver(client, () => client.close());
}

async function ioRedis(): Promise<Ground> {
  const client = new IoRedis((await sharedRedis()).url);
  return redisOver(client, () => client.quit());
}

async function postgres(): Promise<Ground> {
  const pool = new pg.Pool({ connectionString: await newDatabase(), max: 20 });
  await migratePostgres(pool);
  await pool.query("CREATE TABLE skew (ms int8)");
  await pool.query("INSERT INTO skew VALUES (0)");
  const clock = `(${POSTGRES_CLOCK} + (SELECT ms FROM skew))`;
  return {
    open: () => postgresStore({ pool }, clock),
    now: async () => {
      const { rows } = await pool.query<{ now: string }>(`SELECT ${clock} AS now`);
      return Number(rows[0]?.now);
    },
    advance: async (ms) => {
      await pool.query("UPDATE skew SET ms = ms + $1", [ms]);
    },
    dump: async () => JSON.stringify((await pool.query("SELECT * FROM parley_rows")).rows),
    wipe: async () => {
      await pool.query("DELETE FROM parley_rows");
    },
    close: () => pool.end(),
  };
}

/** Every store there is, and Redis by either client. */
export const grounds: readonly [string, () => Ground | Promise<Ground>][] = [
  ["memory", memory],
  ["SQLite", sqlite],
  ["Redis, by the redis package", nodeRedis],
  ["Redis, by ioredis", ioRedis],
  ["PostgreSQL", postgres],
];
