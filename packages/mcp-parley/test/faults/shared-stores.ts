import pg from "pg";
import { migratePostgres } from "../../src/store/postgres-migrate.js";
import { newDatabase } from "../support/servers/databases.js";
import { runRedis, stopServer } from "../support/servers/run.js";
import { serversOf } from "../support/servers/shared.js";
import type { StoreAddress } from "./hammer.js";

type Open = (ends: (() => unknown)[]) => Promise<StoreAddress>;

/** Stores that a fleet shares, ready for it; what has to end with them is added to `ends`. */
export const SHARED_STORES: readonly (readonly [name: string, open: Open])[] = [
  [
    "PostgreSQL",
    async (ends) => {
      const url = await newDatabase();
      const pool = new pg.Pool({ connectionString: url, max: 1 });
      ends.push(() => pool.end());
      await migratePostgres(pool);
      return { kind: "postgres", url };
    },
  ],
  [
    "Redis",
    async (ends) => {
      const { folder, watched } = serversOf();
      const server = await runRedis(folder, watched);
      ends.push(() => stopServer(server));
      return { kind: "redis", url: server.url };
    },
  ],
];
