import { describe, expect, test } from "vitest";
import { createLedger } from "../../src/ledger/create.js";
import { memoryStore } from "../../src/store/memory.js";
import type { Row } from "../../src/store/store.js";
import type { RemoteStore } from "../support/remote-store.js";
import { Fleet, fresh, of } from "./bench.js";

const fleet = new Fleet();
const [one, two] = [fleet.worker(), fleet.worker()];
let ids = 0;
const newId = (): string => `id-${ids++}`;

describe("a claim", () => {
  test("is fresh for the first and in flight for the second, here and elsewhere", async () => {
    const id = newId();
    await fresh(one.ledger.claim(id, "same", fleet.options()));
    await of("in_flight", one.ledger.claim(id, "same", fleet.options()));
    await of("in_flight", two.ledger.claim(id, "same", fleet.options()));
  });

  test("with other answers is a mismatch, in flight and settled, here and elsewhere", async () => {
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await of("mismatch", one.ledger.claim(id, "those", fleet.options()));
    await of("mismatch", two.ledger.claim(id, "those", fleet.options()));
    await hold.settle("done", 1000);
    await of("mismatch", one.ledger.claim(id, "those", fleet.options()));
    await of("mismatch", two.ledger.claim(id, "those", fleet.options()));
  });

  test("finds the settled outcome, until it is no longer kept; the mark stays", async () => {
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "same", fleet.options()));
    expect(await hold.settle("the outcome", 5_000)).toEqual({ won: true });
    for (const worker of [one, two]) {
      const settled = await of("settled", worker.ledger.claim(id, "same", fleet.options()));
      expect(settled.outcome).toBe("the outcome");
    }
    await fleet.clock.advance(5_000);
    const later = await of("settled", two.ledger.claim(id, "same", fleet.options()));
    expect(later.outcome).toBeUndefined();
  });

  test("is past once its time is over, and never fresh again", async () => {
    const id = newId();
    const options = fleet.options({ notAfter: fleet.clock.now() + 1_000 });
    const hold = await fresh(one.ledger.claim(id, "same", options));
    await hold.settle("done", 1_000);
    await fleet.clock.advance(999);
    await of("settled", two.ledger.claim(id, "same", options));
    await fleet.clock.advance(1);
    await of("past", two.ledger.claim(id, "same", options));
  });

  test("that was given back is fresh again, with other answers too", async () => {
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await hold.release();
    await fresh(two.ledger.claim(id, "those", fleet.options()));
  });

  test("does not touch another id", async () => {
    await fresh(one.ledger.claim(newId(), "same", fleet.options()));
    await fresh(one.ledger.claim(newId(), "same", fleet.options()));
  });

  test("holds by long fingerprints as by short ones", async () => {
    const id = newId();
    const long = "f".repeat(1_000);
    const hold = await fresh(one.ledger.claim(id, long, fleet.options()));
    await of("in_flight", two.ledger.claim(id, long, fleet.options()));
    await of("mismatch", two.ledger.claim(id, `${long}g`, fleet.options()));
    await hold.settle("done", 1_000);
    await of("settled", two.ledger.claim(id, long, fleet.options()));
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity])("with a lease of %s is a RangeError", (lease) => {
    const claim = (): unknown => one.ledger.claim(newId(), "same", fleet.options({ lease }));
    expect(claim).toThrow(RangeError);
    expect(claim).toThrow(/whole number of milliseconds/);
  });

  test("may have a lease of one millisecond", async () => {
    await fresh(fleet.worker().ledger.claim(newId(), "same", fleet.options({ lease: 1 })));
  });
});

describe("what the store sees", () => {
  test("is neither ids nor outcomes", async () => {
    const seen: string[] = [];
    const worker = fleet.worker();
    const insert = worker.store.insertOrGet.bind(worker.store);
    worker.store.insertOrGet = (name, row, holder) => {
      seen.push(name, JSON.stringify(row), holder ?? "");
      return insert(name, row, holder);
    };
    const replace = worker.store.replaceIfOwner.bind(worker.store);
    worker.store.replaceIfOwner = (name, owner, row) => {
      seen.push(name, owner, JSON.stringify({ ...row, body: row.body.slice(0, 7) }));
      return replace(name, owner, row);
    };
    const hold = await fresh(worker.ledger.claim("secret-id", "print", fleet.options()));
    await hold.settle("secret-outcome", 1_000);
    expect(seen.join("\n")).not.toMatch(/secret/);
    expect(seen.join("\n")).toContain('"body":"sealed "');
  });

  test("has no body until there is an outcome", async () => {
    const seen: Row[] = [];
    const keep = (store: RemoteStore): void => {
      const { insertOrGet, replaceIfOwner } = store;
      store.insertOrGet = (...all) => (seen.push(all[1]), insertOrGet.apply(store, all));
      store.replaceIfOwner = (...all) => (seen.push(all[2]), replaceIfOwner.apply(store, all));
    };
    const [old, next] = [fleet.worker(), fleet.worker()];
    keep(old.store);
    keep(next.store);
    const id = newId();
    await old.ledger.epoch();
    const hold = await fresh(old.ledger.claim(id, "same", fleet.options()));
    await hold.pin();
    await fleet.clock.advance(2_000);
    await hold.abandon();
    await fresh((await of("indeterminate", next.ledger.claim(id, "same", fleet.options()))).take());
    expect(seen).toHaveLength(7);
    expect(new Set(seen.map(({ body, bodyFor }) => `${body}${bodyFor}`))).toEqual(new Set(["0"]));
  });

  test("is whose share a row takes", async () => {
    const store = memoryStore({ maxRows: 2 });
    const ledger = createLedger({ store });
    const options = { notAfter: Date.now() + 10_000, lease: 10, effect: false, holder: "greedy" };
    ledger.claim("a", "same", options);
    const full: unknown = expect.objectContaining({ code: "store_full" });
    expect(() => ledger.claim("b", "same", options)).toThrow(full);
    expect(ledger.claim("b", "same", { ...options, holder: "modest" })).toMatchObject({
      kind: "fresh",
    });
  });

  test("an outcome that can't be opened is one no longer kept", async () => {
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "same", fleet.options()));
    await hold.settle("done", 5_000);
    const keyless = createLedger(
      { store: two.store, protect: { protect: (text) => text, reveal: () => undefined } },
      fleet.clock,
    );
    const settled = await of("settled", keyless.claim(id, "same", fleet.options()));
    expect(settled.outcome).toBeUndefined();
  });

  test("a ledger over a store outside the process wants protection for it", () => {
    const usage: unknown = expect.objectContaining({ code: "usage" });
    expect(() => createLedger({ store: one.store })).toThrow(usage);
    expect(() => createLedger({ store: one.store })).toThrow(/remote.*`protect`/);
  });
});
