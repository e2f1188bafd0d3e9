import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, describe, expect, test } from "vitest";
import { migratePostgres } from "../../src/store/postgres-migrate.js";
import { newDatabase } from "../support/servers/databases.js";
import { runRedis, stopServer } from "../support/servers/run.js";
import { serversOf } from "../support/servers/shared.js";
import { hammer, type StoreAddress } from "./hammer.js";
import { faultsOf, type Happened } from "./history.js";

/*
 * Four processes, three lanes each, claim the same ids through every store, their clocks
 * five minutes apart. Each process is stopped past its lease and later killed at a named point;
 * the store's connections are cut twice, and Redis is started anew.
 */

const IDS = Array.from({ length: 24 }, (_, index) => `id-${index}`);
const TIMEOUT_MS = 180_000;

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

interface Ground {
  readonly store: StoreAddress;
  readonly disturbances: readonly (() => Promise<unknown>)[];
}

function sqlite(): Ground {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-sqlite-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  return { store: { kind: "sqlite", url: path.join(folder, "rows.db") }, disturbances: [] };
}

async function redis(kind: "redis" | "ioredis"): Promise<Ground> {
  const { folder, watched } = serversOf();
  // What it has answered is on disk, so that it comes back as it was.
  const settings = { appendonly: "yes", appendfsync: "always" };
  let server = await runRedis(folder, watched, settings);
  ends.push(() => stopServer(server));
  const cut = async (): Promise<void> => {
    const client = createClient({ url: server.url });
    await client.connect();
    await client.sendCommand(["CLIENT", "KILL", "TYPE", "normal"]);
    client.destroy();
  };
  const restart = async (): Promise<void> => {
    await stopServer(server);
    server = await runRedis(folder, watched, { ...settings, dir: server.home }, server.port);
  };
  return { store: { kind, url: server.url }, disturbances: [cut, restart, cut] };
}

async function postgres(): Promise<Ground> {
  const url = await newDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  ends.push(() => pool.end());
  await migratePostgres(pool);
  const terminate = (): Promise<unknown> =>
    pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  return { store: { kind: "postgres", url }, disturbances: [terminate, terminate] };
}

const grounds: [string, () => Ground | Promise<Ground>][] = [
  ["SQLite", sqlite],
  ["Redis, by the redis package", () => redis("redis")],
  ["Redis, by ioredis", () => redis("ioredis")],
  ["PostgreSQL", postgres],
];

/**
 * A history that shows nothing would show nothing wrong. How many workers come to their points
 * before the others have done all there was is the machine's to say; an id whose claimer was cut
 * off at the wrong moment has no effect, and rightly so.
 */
function sawEnough(history: readonly Happened[]): void {
  const count = (kind: Happened["kind"]): number =>
    history.filter((line) => line.kind === kind).length;
  expect(count("SIGSTOP")).toBeGreaterThanOrEqual(1);
  expect(count("SIGKILL")).toBeGreaterThanOrEqual(1);
  expect(count("effect")).toBeGreaterThanOrEqual(IDS.length / 2);
}

describe.each(grounds)("through %s", (_name, lay) => {
  test(
    "an effect happens at most once, and everyone is told one outcome",
    { timeout: TIMEOUT_MS },
    async () => {
      const { store, disturbances } = await lay();
      const history = await hammer({ store, disturbances, ids: IDS, effect: true });
      expect(faultsOf(history, IDS, true)).toEqual([]);
      sawEnough(history);
    },
  );

  test(
    "a round is run until somebody is told, and everyone is told the same",
    { timeout: TIMEOUT_MS },
    async () => {
      const { store, disturbances } = await lay();
      const history = await hammer({ store, disturbances, ids: IDS, effect: false });
      expect(faultsOf(history, IDS, false)).toEqual([]);
      sawEnough(history);
      expect(history.some(({ kind }) => kind === "mismatch")).toBe(true);
    },
  );
});
