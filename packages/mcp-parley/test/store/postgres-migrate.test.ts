import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { migratePostgres } from "../../src/store/postgres-migrate.js";
import { postgresStore, type PostgresStore } from "../../src/store/postgres.js";
import type { Row } from "../../src/store/store.js";
import { newDatabase } from "../support/servers/databases.js";

const pools: pg.Pool[] = [];
afterAll(() => Promise.all(pools.map((made) => made.end())));

async function emptyDatabase(options: pg.PoolConfig = {}): Promise<pg.Pool> {
  const made = new pg.Pool({ connectionString: await newDatabase(), ...options });
  pools.push(made);
  return made;
}

const over = (pool: pg.Pool): PostgresStore => postgresStore({ pool, timeout: 10_000 });
const row = (): Row => {
  return { owner: "me", mark: "m", body: "", bodyFor: 0, notAfter: Date.now() + 60_000 };
};

describe("the tables", () => {
  test("are asked for where they are missing, and never made by themselves", async () => {
    const empty = await emptyDatabase();
    const one = over(empty);
    await expect(one.ready()).rejects.toMatchObject({ code: "usage" });
    await expect(one.insertOrGet("a", row())).rejects.toThrow(/parley store migrate/);
    expect(
      (await empty.query("SELECT 1 FROM pg_tables WHERE tablename LIKE 'parley%'")).rows,
    ).toEqual([]);
    expect(await migratePostgres(empty)).toBe(2);
    await one.ready();
    expect(await one.insertOrGet("a", row())).toEqual({ kind: "inserted" });
    expect(await migratePostgres(empty)).toBe(0);
    expect(await one.insertOrGet("a", row())).toMatchObject({ kind: "present" });
  });

  test("are made once by many at once", async () => {
    const empty = await emptyDatabase();
    const steps = await Promise.all(Array.from({ length: 8 }, () => migratePostgres(empty)));
    expect(steps.filter((made) => made === 2)).toHaveLength(1);
    expect(steps.filter((made) => made === 0)).toHaveLength(7);
  });

  test("of a later version are left as they are", async () => {
    const later = await emptyDatabase();
    await migratePostgres(later);
    await later.query("UPDATE parley_schema SET steps = 99");
    expect(await migratePostgres(later)).toBe(0);
    expect((await later.query("SELECT steps FROM parley_schema")).rows).toEqual([{ steps: 99 }]);
  });

  test("are made in one transaction, and a connection that failed in it is thrown away", async () => {
    const mine = await emptyDatabase({ max: 1 });
    // What a step would make is there already, and is something else.
    await mine.query("CREATE VIEW parley_rows AS SELECT 1 AS name");
    await expect(migratePostgres(mine)).rejects.toMatchObject({ code: "42809" });
    expect(mine.totalCount).toBe(0);
    const { rows } = await mine.query("SELECT 1 FROM pg_tables WHERE tablename = 'parley_schema'");
    expect(rows).toEqual([]);
    await mine.query("DROP VIEW parley_rows");
    expect(await migratePostgres(mine)).toBe(2);
    expect(mine.idleCount).toBe(1);
  });

  test("of an earlier version get the steps that they lack, and keep their rows", async () => {
    const mine = await emptyDatabase();
    await migratePostgres(mine);
    const one = over(mine);
    await one.insertOrGet("a", row());
    await mine.query("UPDATE parley_schema SET steps = 1");
    await mine.query("CREATE INDEX parley_rows_end ON parley_rows (not_after)");
    await mine.query("CREATE INDEX parley_rows_bodies ON parley_rows (body_until)");
    expect(await migratePostgres(mine)).toBe(1);
    expect(await one.insertOrGet("a", row())).toMatchObject({ kind: "present" });
    const { rows } = await mine.query(
      "SELECT indexname FROM pg_indexes WHERE tablename = 'parley_rows'",
    );
    expect(rows).toEqual([{ indexname: "parley_rows_pkey" }]);
  });
});
