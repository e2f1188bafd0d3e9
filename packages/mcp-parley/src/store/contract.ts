import { deepStrictEqual, fail, ok, strictEqual } from "node:assert";
import { randomUUID } from "node:crypto";
import type { Awaitable } from "../protocol/json.js";
import type { Inserted, Row, Store, Stored } from "./store.js";

/** A store on trial, and its clock. */
export interface StoreBench {
  readonly store: Store;
  /** The store's own clock, in ms since 1970. */
  now(): Awaitable<number>;
  /** Puts the store's own clock forward: nothing here waits for time to pass. */
  advance(ms: number): Awaitable<void>;
}

/** One thing that every {@link Store} does. */
export interface StoreCase {
  readonly title: string;
  /** Rejects with an assertion error if the store does otherwise. */
  run(bench: StoreBench): Promise<void>;
}

const MINUTE = 60_000;

/** A row for a minute, with what is given changed. */
async function rowOf(bench: StoreBench, change: Partial<Row> = {}): Promise<Row> {
  const notAfter = (await bench.now()) + MINUTE;
  return { owner: "owner-1", mark: "mark-1", body: "body-1", bodyFor: MINUTE, notAfter, ...change };
}

async function read(bench: StoreBench, name: string): Promise<Stored | undefined> {
  const nothing = { owner: "", mark: "", body: "", bodyFor: 0, notAfter: 0 };
  const found = await bench.store.insertOrGet(name, nothing);
  return found.kind === "present" ? found.row : undefined;
}

function present(found: Inserted): Stored {
  return found.kind === "present" ? found.row : fail(`present expected, not ${found.kind}`);
}

/** Calls for each item at once, without waiting for one before the next. */
function atOnce<T, U>(items: readonly T[], call: (item: T) => Awaitable<U>): Promise<U[]> {
  return Promise.all(items.map(async (item) => call(item)));
}

/** The contract of {@link Store}, as cases to be run each with a name that no other case uses. */
const cases: readonly { title: string; run(bench: StoreBench, name: string): Promise<void> }[] = [
  {
    title: "gives the row that stands to whoever comes second",
    async run(bench, name) {
      const row = await rowOf(bench);
      deepStrictEqual(await bench.store.insertOrGet(name, row), { kind: "inserted" });
      const second = await bench.store.insertOrGet(
        name,
        await rowOf(bench, { owner: "owner-2", mark: "mark-2", body: "body-2" }),
      );
      const { owner, mark, body, age } = present(second);
      deepStrictEqual({ owner, mark, body }, { owner: "owner-1", mark: "mark-1", body: "body-1" });
      ok(age >= 0 && age < MINUTE, `age is ${age}`);
    },
  },
  {
    title: "inserts once however many come at once",
    async run(bench, name) {
      const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
      const rows = await Promise.all(owners.map((owner) => rowOf(bench, { owner, mark: owner })));
      const all = await atOnce(rows, (row) => bench.store.insertOrGet(name, row));
      const winners = owners.filter((_, index) => all[index]?.kind === "inserted");
      strictEqual(winners.length, 1);
      for (const found of all) {
        if (found.kind !== "inserted") strictEqual(present(found).mark, winners[0]);
      }
    },
  },
  {
    title: "finds the caller's own row when an insert is repeated",
    async run(bench, name) {
      const row = await rowOf(bench);
      await bench.store.insertOrGet(name, row);
      strictEqual(present(await bench.store.insertOrGet(name, row)).owner, "owner-1");
    },
  },
  {
    title: "refuses a row whose time is over, and keeps nothing of it",
    async run(bench, name) {
      const over = await rowOf(bench, { notAfter: (await bench.now()) - 1 });
      deepStrictEqual(await bench.store.insertOrGet(name, over), { kind: "past" });
      strictEqual(await read(bench, name), undefined);
      strictEqual(await bench.store.replaceIfOwner(name, over.owner, over), false);
      strictEqual(await bench.store.deleteIfOwner(name, over.owner), false);
      const other = await rowOf(bench, { owner: "owner-2" });
      deepStrictEqual(await bench.store.insertOrGet(name, other), { kind: "inserted" });
    },
  },
  {
    title: "reads with a time that is over, and changes nothing by it",
    async run(bench, name) {
      strictEqual(await read(bench, name), undefined);
      await bench.store.insertOrGet(name, await rowOf(bench));
      strictEqual((await read(bench, name))?.mark, "mark-1");
      const late = await rowOf(bench, { owner: "late", notAfter: (await bench.now()) - 1 });
      strictEqual(present(await bench.store.insertOrGet(name, late)).owner, "owner-1");
      strictEqual((await read(bench, name))?.owner, "owner-1");
    },
  },
  {
    title: "replaces the row of its owner, all of it",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      const next = await rowOf(bench, { owner: "owner-2", mark: "mark-2", body: "body-2" });
      strictEqual(await bench.store.replaceIfOwner(name, "owner-1", next), true);
      const { owner, mark, body } = (await read(bench, name)) ?? fail("the row is gone");
      deepStrictEqual({ owner, mark, body }, { owner: "owner-2", mark: "mark-2", body: "body-2" });
      strictEqual(await bench.store.replaceIfOwner(name, "owner-1", next), false);
      strictEqual(await bench.store.deleteIfOwner(name, "owner-1"), false);
      strictEqual((await read(bench, name))?.owner, "owner-2");
    },
  },
  {
    title: "replaces a body with none",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      const next = await rowOf(bench, { body: "", bodyFor: 0 });
      strictEqual(await bench.store.replaceIfOwner(name, "owner-1", next), true);
      strictEqual((await read(bench, name))?.body, "");
    },
  },
  {
    title: "leaves the row alone for anyone else",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      const next = await rowOf(bench, { owner: "owner-2", mark: "mark-2" });
      for (const stranger of ["owner-2", "OWNER-1", "owner-1 ", "", "%"]) {
        strictEqual(await bench.store.replaceIfOwner(name, stranger, next), false);
        strictEqual(await bench.store.deleteIfOwner(name, stranger), false);
      }
      strictEqual((await read(bench, name))?.mark, "mark-1");
    },
  },
  {
    title: "creates nothing by replacing or deleting what is not there",
    async run(bench, name) {
      const row = await rowOf(bench);
      strictEqual(await bench.store.replaceIfOwner(name, row.owner, row), false);
      strictEqual(await bench.store.deleteIfOwner(name, row.owner), false);
      strictEqual(await read(bench, name), undefined);
    },
  },
  {
    title: "lets one of many replacements at once win",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      const rows = await Promise.all(
        Array.from({ length: 20 }, (_, index) => rowOf(bench, { owner: `next-${index}` })),
      );
      const done = await atOnce(rows, (row) => bench.store.replaceIfOwner(name, "owner-1", row));
      strictEqual(done.filter(Boolean).length, 1);
      strictEqual((await read(bench, name))?.owner, `next-${done.indexOf(true)}`);
    },
  },
  {
    title: "deletes the row of its owner, once, and makes room for another",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      const done = await atOnce(Array<string>(10).fill("owner-1"), (owner) =>
        bench.store.deleteIfOwner(name, owner),
      );
      strictEqual(done.filter(Boolean).length, 1);
      strictEqual(await read(bench, name), undefined);
      const other = await rowOf(bench, { owner: "owner-2", body: "" });
      deepStrictEqual(await bench.store.insertOrGet(name, other), { kind: "inserted" });
      strictEqual((await read(bench, name))?.body, "");
    },
  },
  {
    title: "lets either a replacement or a deletion win",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      const next = await rowOf(bench, { owner: "owner-2" });
      const [replaced, deleted] = await atOnce(
        [
          () => bench.store.replaceIfOwner(name, "owner-1", next),
          () => bench.store.deleteIfOwner(name, "owner-1"),
        ],
        (act) => act(),
      );
      ok(replaced !== deleted, "exactly one acts");
      strictEqual((await read(bench, name))?.owner, replaced ? "owner-2" : undefined);
    },
  },
  {
    title: "ends a row by its own clock",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      await bench.advance(MINUTE / 2);
      strictEqual((await read(bench, name))?.owner, "owner-1");
      await bench.advance(MINUTE / 2 + 1);
      strictEqual(await read(bench, name), undefined);
      const next = await rowOf(bench, { owner: "owner-2", mark: "mark-2", body: "" });
      strictEqual(await bench.store.replaceIfOwner(name, "owner-1", next), false);
      strictEqual(await bench.store.deleteIfOwner(name, "owner-1"), false);
      deepStrictEqual(await bench.store.insertOrGet(name, next), { kind: "inserted" });
      const { owner, mark, body } = (await read(bench, name)) ?? fail("the row is gone");
      deepStrictEqual({ owner, mark, body }, { owner: "owner-2", mark: "mark-2", body: "" });
    },
  },
  {
    title: "inserts once over a row that has ended, however many come at once",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      await bench.advance(MINUTE + 1);
      const rows = await Promise.all(
        Array.from({ length: 20 }, (_, index) => rowOf(bench, { owner: `next-${index}` })),
      );
      const all = await atOnce(rows, (row) => bench.store.insertOrGet(name, row));
      strictEqual(all.filter((found) => found.kind === "inserted").length, 1);
    },
  },
  {
    title: "ends a replaced row when the replacement says",
    async run(bench, name) {
      const start = await bench.now();
      await bench.store.insertOrGet(name, await rowOf(bench));
      const longer = await rowOf(bench, { notAfter: start + 3 * MINUTE });
      await bench.store.replaceIfOwner(name, "owner-1", longer);
      await bench.advance(2 * MINUTE);
      strictEqual((await read(bench, name))?.owner, "owner-1");
      const shorter = await rowOf(bench, { notAfter: (await bench.now()) + MINUTE / 6 });
      await bench.store.replaceIfOwner(name, "owner-1", shorter);
      await bench.advance(MINUTE / 6 + 1);
      strictEqual(await read(bench, name), undefined);
    },
  },
  {
    title: "keeps the body for as long as asked, the mark for as long as the row",
    async run(bench, name) {
      const row = await rowOf(bench, { bodyFor: MINUTE / 2 });
      await bench.store.insertOrGet(name, row);
      await bench.advance(MINUTE / 4);
      strictEqual((await read(bench, name))?.body, "body-1");
      await bench.advance(MINUTE / 4 + 1);
      const later = (await read(bench, name)) ?? fail("the row is gone");
      ok(later.body === "" || later.body === "body-1", "a body is whole or empty");
      strictEqual(later.mark, "mark-1");
      const next = await rowOf(bench, { body: "body-2" });
      strictEqual(await bench.store.replaceIfOwner(name, "owner-1", next), true);
      strictEqual((await read(bench, name))?.body, "body-2");
    },
  },
  {
    title: "tells a row's age, anew after each write",
    async run(bench, name) {
      await bench.store.insertOrGet(name, await rowOf(bench));
      await bench.advance(MINUTE / 2);
      const aged = (await read(bench, name)) ?? fail("the row is gone");
      ok(aged.age >= MINUTE / 2 && aged.age < MINUTE, `age is ${aged.age}`);
      const again = (await read(bench, name)) ?? fail("the row is gone");
      ok(again.age >= aged.age, "reading does not make it younger");
      await bench.store.replaceIfOwner(name, "owner-1", await rowOf(bench));
      const young = (await read(bench, name)) ?? fail("the row is gone");
      ok(young.age >= 0 && young.age < MINUTE / 2, `age is ${young.age}`);
    },
  },
  {
    title: "gives every text back as it was",
    async run(bench, name) {
      const odd = "'; DROP TABLE x; -- \"\\ % _ $1 ?1 :a \n\r\t \u007f";
      const body = `${odd}\u00e9\u6f22\u{1f600}${"x".repeat(1024 * 1024)}`;
      const strange = `${name}${odd}`;
      const row = await rowOf(bench, { owner: odd, mark: `${odd}m`, body });
      deepStrictEqual(await bench.store.insertOrGet(strange, row), { kind: "inserted" });
      const found = (await read(bench, strange)) ?? fail("the row is gone");
      strictEqual(found.owner, odd);
      strictEqual(found.mark, `${odd}m`);
      ok(found.body === body, "the body is as it was");
      strictEqual(await read(bench, name), undefined);
      strictEqual(await bench.store.deleteIfOwner(strange, odd), true);
    },
  },
  {
    title: "keeps rows apart, and to the end of the year 9999",
    async run(bench, name) {
      const forever = await rowOf(bench, { notAfter: 253_402_300_799_000 });
      await bench.store.insertOrGet(`${name}-a`, forever);
      await bench.store.insertOrGet(`${name}-b`, await rowOf(bench, { owner: "owner-2" }));
      strictEqual(await bench.store.deleteIfOwner(`${name}-b`, "owner-1"), false);
      strictEqual(await bench.store.deleteIfOwner(`${name}-b`, "owner-2"), true);
      await bench.advance(1000 * MINUTE);
      strictEqual((await read(bench, `${name}-a`))?.owner, "owner-1");
      strictEqual(await bench.store.deleteIfOwner(`${name}-a`, "owner-1"), true);
    },
  },
];

/**
 * What every {@link Store} does, for whoever writes one: run each case on a bench, in any runner.
 * The cases use names of their own, so that all may share one database.
 */
export const storeContract: readonly StoreCase[] = cases.map((one) => ({
  title: one.title,
  run: (bench) => one.run(bench, `contract-${randomUUID()}`),
}));
