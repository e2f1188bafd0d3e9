import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import type { Store } from "mcp-parley";
import { migratePostgres, postgresStore } from "mcp-parley/postgres";
import { redisStore } from "mcp-parley/redis";
import { sqliteStore } from "mcp-parley/sqlite";
import pg from "pg";
import { createClient } from "redis";
import { median, ratio, spread } from "./statistics.js";

/*
 * What a claim and a settlement cost in each store, as one pair of operations, beside the barest
 * two commands through the same client that keep the same bytes: no owner, no clock, no expiry by
 * the store. No plain command of Redis settles for its owner alone, so there it stands beside what
 * one would write by hand as well: SET NX, and the well-known script that compares and sets. The
 * redis package times each command that waits to be written, which costs it more than to write it:
 * our store has a time of its own and leaves that out, so it stands beside both without, too.
 * REDIS_URL and DATABASE_URL say where servers are; those without an address are left out. Tables
 * are made in the database. Rates are compared pair by pair, one after the other; so is the
 * processor time that this process took, which other work on the machine disturbs less.
 */

const IN_FLIGHT = 16;

/** Before it counts, each does a whole repetition's worth in so many turns, however short the run. */
const WARM_UPS = 2;

/** As long as what a ledger writes. */
const OWNER = "o".repeat(22);
const MARK = "m".repeat(50);
const OUTCOME = "x".repeat(300);
const LIFE = 600_000;
const KEPT = 60_000;

/** One store beside the bare commands: pairs of operations per second, in each repetition. */
export interface StoreMeasured {
  readonly name: string;
  readonly bare: readonly number[];
  readonly parley: readonly number[];
  /** This process's time for each pair, over that of the bare commands. */
  readonly cpuOfBare: number;
}

interface Contender {
  readonly name: string;
  readonly operations: number;
  readonly store: Store;
  readonly bare: (name: string) => unknown;
  readonly close: () => unknown;
}

async function pair(store: Store, name: string): Promise<void> {
  const notAfter = Date.now() + LIFE;
  const claim = { owner: OWNER, mark: MARK, body: "", bodyFor: 0, notAfter };
  const found = await store.insertOrGet(name, claim);
  const settled = { owner: "", mark: MARK, body: OUTCOME, bodyFor: KEPT, notAfter };
  const done = await store.replaceIfOwner(name, OWNER, settled);
  if (found.kind !== "inserted" || !done) throw new Error(`The ${store.name} store did otherwise`);
}

interface Measured {
  /** Pairs per second. */
  readonly rate: number;
  /** Processor time of this process for each pair, in microseconds. */
  readonly cpu: number;
}

/** Does so many pairs, a few under way at a time. */
async function measure(operations: number, act: (name: string) => unknown): Promise<Measured> {
  let begun = 0;
  const start = performance.now();
  const before = process.cpuUsage();
  const lane = async (): Promise<void> => {
    while (begun < operations) {
      begun += 1;
      await act(randomUUID());
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const { user, system } = process.cpuUsage(before);
  const rate = operations / ((performance.now() - start) / 1000);
  return { rate, cpu: (user + system) / operations };
}

function sqlite(synchronous: "full" | "normal"): Contender {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-bench-"));
  const open = (file: string): Database.Database => new Database(path.join(folder, file));
  const bare = open("bare.db");
  bare.pragma("journal_mode = WAL");
  bare.pragma(`synchronous = ${synchronous}`);
  bare.exec("CREATE TABLE bare (name TEXT PRIMARY KEY, mark TEXT, body TEXT) WITHOUT ROWID");
  const insert = bare.prepare("INSERT INTO bare VALUES (?, ?, '') ON CONFLICT DO NOTHING");
  const update = bare.prepare("UPDATE bare SET body = ? WHERE name = ?");
  const database = open("parley.db");
  return {
    name: `SQLite, ${synchronous}`,
    operations: synchronous === "full" ? 500 : 5_000,
    store: sqliteStore({ database, synchronous }),
    bare: (name) => {
      insert.run(name, MARK);
      update.run(OUTCOME, name);
    },
    close: () => {
      bare.close();
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** What Redis is measured beside, and whether its client times each command that waits. */
type Beside = "two SETs" | "hand" | "two SETs, untimed" | "hand, untimed";

async function redis(url: string, beside: Beside): Promise<Contender> {
  const client = createClient({ url });
  await client.connect();
  const life = String(LIFE);
  const settle = await client.scriptLoad(
    `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
     redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
     return 1`,
  );
  const options = beside.endsWith("untimed") ? { timeout: 0 } : {};
  const send = (...command: string[]): Promise<unknown> => client.sendCommand(command, options);
  const twoSets = async (name: string): Promise<void> => {
    await send("SET", name, MARK, "NX", "PX", life);
    await send("SET", name, OUTCOME, "XX", "PX", life);
  };
  const byHand = async (name: string): Promise<void> => {
    await send("SET", name, OWNER, "NX", "PX", life);
    await send("EVALSHA", settle, "1", name, OWNER, OUTCOME, life);
  };
  return {
    name: `Redis, beside ${beside}`,
    operations: 10_000,
    store: redisStore({ client, prefix: `bench-${randomUUID()}:` }),
    bare: beside.startsWith("hand") ? byHand : twoSets,
    close: () => client.close(),
  };
}

async function postgres(url: string): Promise<Contender> {
  const pool = new pg.Pool({ connectionString: url, max: IN_FLIGHT });
  await migratePostgres(pool);
  await pool.query(
    "CREATE TABLE IF NOT EXISTS parley_bench (name text PRIMARY KEY, mark text, body text)",
  );
  const insert = "INSERT INTO parley_bench VALUES ($1, $2, '') ON CONFLICT DO NOTHING";
  const update = "UPDATE parley_bench SET body = $2 WHERE name = $1";
  return {
    name: "PostgreSQL",
    operations: 2_000,
    store: postgresStore({ pool }),
    bare: async (name) => {
      await pool.query({ name: "insert", text: insert, values: [name, MARK] });
      await pool.query({ name: "update", text: update, values: [name, OUTCOME] });
    },
    close: async () => {
      await pool.query("DROP TABLE parley_bench");
      await pool.end();
    },
  };
}

async function contenders(): Promise<Contender[]> {
  const { REDIS_URL, DATABASE_URL } = process.env;
  return [
    sqlite("full"),
    sqlite("normal"),
    ...(REDIS_URL === undefined
      ? []
      : [
          await redis(REDIS_URL, "two SETs"),
          await redis(REDIS_URL, "hand"),
          await redis(REDIS_URL, "two SETs, untimed"),
          await redis(REDIS_URL, "hand, untimed"),
        ]),
    ...(DATABASE_URL === undefined ? [] : [await postgres(DATABASE_URL)]),
  ];
}

/** Every store, beside the bare commands, `repetitions` times in turn. */
export async function stores(
  repetitions: number,
  share: number,
  tell: (name: string) => void,
): Promise<StoreMeasured[]> {
  const measured: StoreMeasured[] = [];
  for (const { name, operations, store, bare, close } of await contenders()) {
    tell(name);
    const floor: Measured[] = [];
    const ours: Measured[] = [];
    const times = Math.round(operations * share);
    const act = (row: string): Promise<void> => pair(store, row);
    for (let time = 0; time < WARM_UPS; time += 1) {
      await measure(operations / WARM_UPS, bare);
      await measure(operations / WARM_UPS, act);
    }
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      floor.push(await measure(times, bare));
      ours.push(await measure(times, act));
    }
    await close();
    const rates = (all: readonly Measured[]): number[] => all.map(({ rate }) => rate);
    const cpu = (all: readonly Measured[]): number[] => all.map((one) => one.cpu);
    measured.push({
      name,
      bare: rates(floor),
      parley: rates(ours),
      cpuOfBare: ratio(cpu(ours), cpu(floor)),
    });
  }
  return measured;
}

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;

/** The stores as Markdown. */
export function storeTable(all: readonly StoreMeasured[]): string[] {
  const rows = all.map(({ name, bare, parley, cpuOfBare }) => {
    const rates = [median(bare), median(parley)].map((rate) => rate.toFixed(0));
    const shares = [ratio(parley, bare), spread(bare), cpuOfBare].map(percent);
    return `| ${[name, ...rates, ...shares].join(" | ")} |`;
  });
  return [
    "| store | bare, pairs/s | Parley, pairs/s | part of bare | spread | CPU of bare |",
    "| --- | --: | --: | --: | --: | --: |",
    ...rows,
  ];
}
