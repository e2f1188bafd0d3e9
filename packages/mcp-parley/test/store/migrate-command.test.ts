import { execFileSync } from "node:child_process";
import path from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { postgresStore } from "../../src/store/postgres.js";
import { newDatabase } from "../support/servers/databases.js";

test("the tables of PostgreSQL are made by the command", async () => {
  const address = await newDatabase();
  const command = path.resolve(import.meta.dirname, "../../../cli/bin/parley.mjs");
  const run = (): string =>
    execFileSync(process.execPath, [command, "store", "migrate", address], { encoding: "utf8" });
  expect(run()).toBe("The tables are made: the store can be used.\n");
  expect(run()).toBe("The tables are up to date.\n");
  const pool = new pg.Pool({ connectionString: address });
  onTestFinished(() => pool.end());
  await postgresStore({ pool, timeout: 10_000 }).ready();
});
