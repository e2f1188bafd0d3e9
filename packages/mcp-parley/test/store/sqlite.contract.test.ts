import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { afterAll } from "vitest";
import { sqliteStore } from "../../src/store/sqlite.js";
import { contractOf } from "../contract/store.js";

const folder = mkdtempSync(path.join(tmpdir(), "parley-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

contractOf("sqlite", () => {
  const database = new Database(path.join(folder, `${files++}.db`));
  database.exec("CREATE TABLE skew (ms INTEGER); INSERT INTO skew VALUES (0)");
  const clock =
    "(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER) + (SELECT ms FROM skew))";
  const store = sqliteStore({ database, synchronous: "normal" }, clock);
  return {
    store: { ...bound(store), close: () => void database.close() },
    now: () => (database.prepare(`SELECT ${clock} AS now`).get() as { now: number }).now,
    advance: (ms) => {
      database.prepare("UPDATE skew SET ms = ms + ?").run(ms);
    },
  };
});

function bound(store: ReturnType<typeof sqliteStore>) {
  return {
    name: store.name,
    survives: store.survives,
    insertOrGet: store.insertOrGet.bind(store),
    replaceIfOwner: store.replaceIfOwner.bind(store),
    deleteIfOwner: store.deleteIfOwner.bind(store),
  };
}
