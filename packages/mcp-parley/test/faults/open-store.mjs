/** Opens the store that an address says, out of the built library, as a process of its own does. */
const library = new URL("../../dist/", import.meta.url);
const load = (file) => import(new URL(file, library).href);

export async function openStore({ kind, url }) {
  const timeout = 5_000;
  switch (kind) {
    case "sqlite": {
      const { default: Database } = await import("better-sqlite3");
      const { sqliteStore } = await load("entry/sqlite.js");
      const database = new Database(url);
      return { store: sqliteStore({ database, timeout }), close: () => database.close() };
    }
    // The connection may just have been cut: closing it asks the server nothing.
    case "redis": {
      const { createClient } = await import("redis");
      const { redisStore } = await load("entry/redis.js");
      const client = createClient({ url });
      client.on("error", () => undefined);
      await client.connect();
      return { store: redisStore({ client, timeout }), close: () => client.destroy() };
    }
    case "ioredis": {
      const { Redis } = await import("ioredis");
      const { redisStore } = await load("entry/redis.js");
      const client = new Redis(url);
      return { store: redisStore({ client, timeout }), close: () => client.disconnect() };
    }
    case "postgres": {
      const { default: pg } = await import("pg");
      const { postgresStore } = await load("entry/postgres.js");
      const pool = new pg.Pool({ connectionString: url, max: 4 });
      return { store: postgresStore({ pool, timeout }), close: () => pool.end() };
    }
    default:
      throw new Error(`No store of the kind ${kind}`);
  }
}
