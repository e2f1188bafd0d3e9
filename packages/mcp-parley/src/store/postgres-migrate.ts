import { hearErrors } from "./hear-errors.js";
import type { PostgresPool } from "./postgres.js";

/** Any number, the same wherever the tables are made: only one at a time makes them. */
const LOCK = 7_236_125_534;

/** The tables, each step to be run once and in order; steps are added, never changed. */
const STEPS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS parley_rows (
     name text COLLATE "C" PRIMARY KEY,
     owner text COLLATE "C" NOT NULL,
     mark text COLLATE "C" NOT NULL,
     body text COLLATE "C" NOT NULL,
     body_until int8 NOT NULL,
     not_after int8 NOT NULL,
     written int8 NOT NULL
   ) WITH (fillfactor = 80);
   CREATE INDEX IF NOT EXISTS parley_rows_end ON parley_rows (not_after);
   CREATE INDEX IF NOT EXISTS parley_rows_bodies ON parley_rows (body_until) WHERE body <> ''`,
  // With only its name indexed, a row is rewritten in place.
  `DROP INDEX parley_rows_end, parley_rows_bodies`,
];

/**
 * Makes or updates the tables of a PostgreSQL store, in the first schema of the search path, and
 * says how many steps that took: 0 if they were up to date. Any number may be run at once.
 * Rejects with whatever `pg` does. Nothing else in Parley changes a database's schema.
 */
export async function migratePostgres(pool: PostgresPool): Promise<number> {
  hearErrors(pool);
  const client = await pool.connect();
  hearErrors(client);
  let failed = true;
  try {
    await client.query({ text: "BEGIN" });
    await client.query({ text: `SELECT pg_advisory_xact_lock(${LOCK})` });
    await client.query({
      text: "CREATE TABLE IF NOT EXISTS parley_schema (steps int NOT NULL)",
    });
    const [row] = (await client.query({ text: "SELECT steps FROM parley_schema" })).rows;
    const done = row === undefined ? 0 : Number((row as { steps: unknown }).steps);
    for (const step of STEPS.slice(done)) await client.query({ text: step });
    await client.query({ text: "DELETE FROM parley_schema" });
    await client.query({
      text: "INSERT INTO parley_schema (steps) VALUES ($1)",
      values: [Math.max(done, STEPS.length)],
    });
    await client.query({ text: "COMMIT" });
    failed = false;
    return Math.max(0, STEPS.length - done);
  } finally {
    // A connection thrown away in mid-transaction leaves nothing behind.
    client.release(failed);
  }
}
