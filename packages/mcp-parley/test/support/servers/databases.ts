import { randomBytes } from "node:crypto";
import pg from "pg";
import { sharedPostgres } from "./shared.js";

/** The address of a new, empty database in the run's PostgreSQL. */
export async function newDatabase(): Promise<string> {
  const { url } = await sharedPostgres();
  const name = `test_${randomBytes(8).toString("hex")}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  return url.replace(/\/postgres$/, `/${name}`);
}
