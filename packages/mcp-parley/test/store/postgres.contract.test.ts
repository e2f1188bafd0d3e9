import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { migratePostgres } from "../../src/store/postgres-migrate.js";
import { POSTGRES_CLOCK } from "../../src/store/postgres-statements.js";
import { postgresStore } from "../../src/store/postgres.js";
import { contractOf } from "../contract/store.js";
import { newDatabase } from "../support/servers/databases.js";

const clock = `(${POSTGRES_CLOCK} + (SELECT ms FROM skew))`;
let pool: pg.Pool;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await newDatabase(), max: 20 });
  await migratePostgres(pool);
  await pool.query("CREATE TABLE skew (ms int8)");
  await pool.query("INSERT INTO skew VALUES (0)");
});

afterAll(() => pool.end());

contractOf("postgres", () => ({
  store: postgresStore({ pool }, clock),
  now: async () => {
    const { rows } = await pool.query<{ now: string }>(`SELECT ${clock} AS now`);
    return Number(rows[0]?.now);
  },
  advance: async (ms) => {
    await pool.query("UPDATE skew SET ms = ms + $1", [ms]);
  },
}));
