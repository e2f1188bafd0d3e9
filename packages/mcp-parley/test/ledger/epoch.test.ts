import { beforeEach, describe, expect, test } from "vitest";
import { createLedger } from "../../src/ledger/create.js";
import { memoryStore } from "../../src/store/memory.js";
import { Fleet, type Worker } from "./bench.js";

let fleet: Fleet;
let one: Worker;

beforeEach(() => {
  fleet = new Fleet();
  one = fleet.worker();
});

describe("the epoch of a store", () => {
  test("is null where the store ends with the process", () => {
    expect(createLedger({ store: memoryStore() }).epoch()).toBeNull();
  });

  test("is one value for everyone, whoever asks first", async () => {
    const workers = [one, fleet.worker(), fleet.worker()];
    const epochs = await Promise.all(workers.map(async ({ ledger }) => ledger.epoch()));
    expect(new Set(epochs).size).toBe(1);
    expect(epochs[0]).toMatch(/^[\w-]{22}$/);
    await fleet.clock.advance(365 * 86_400_000);
    expect(await one.ledger.epoch()).toBe(epochs[0]);
  });

  test("is another once the store has lost its memory, after a second at most", async () => {
    const before = await one.ledger.epoch();
    const empty = new Fleet().worker();
    one.store.insertOrGet = empty.store.insertOrGet.bind(empty.store);
    expect(one.ledger.epoch()).toBe(before);
    await fleet.clock.advance(999);
    expect(one.ledger.epoch()).toBe(before);
    await fleet.clock.advance(1);
    expect(await one.ledger.epoch()).not.toBe(before);
  });

  test("is asked anew once the store has failed", async () => {
    const before = await one.ledger.epoch();
    one.store.fate = () => "request_lost";
    await expect(one.ledger.claim("a", "same", fleet.options())).rejects.toThrow();
    const empty = new Fleet().worker();
    one.store.insertOrGet = empty.store.insertOrGet.bind(empty.store);
    expect(await one.ledger.epoch()).not.toBe(before);
  });

  test("is asked for once by many at once", async () => {
    await Promise.all([1, 2, 3].map(async () => one.ledger.epoch()));
    expect(one.store.calls).toEqual(["insertOrGet"]);
  });

  test("can be asked again after it could not be had", async () => {
    one.store.fate = () => "request_lost";
    const failed = one.ledger.epoch();
    await expect(failed).rejects.toThrow();
    one.store.fate = () => "done";
    expect(await one.ledger.epoch()).toMatch(/^[\w-]{22}$/);
  });
});
