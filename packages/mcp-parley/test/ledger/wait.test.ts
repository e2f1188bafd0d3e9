import { beforeEach, describe, expect, test } from "vitest";
import { createLedger } from "../../src/ledger/create.js";
import { memoryStore } from "../../src/store/memory.js";
import { settleDown } from "../support/fake-clock.js";
import { Fleet, fresh, of, type Of, type Worker } from "./bench.js";

let fleet: Fleet;
let one: Worker;
let two: Worker;

beforeEach(() => {
  fleet = new Fleet();
  [one, two] = [fleet.worker(), fleet.worker()];
});

/** Whether a wait is over, at any later time. */
function watching(waiting: Promise<void>): { over: boolean } {
  const state = { over: false };
  void waiting.then(() => (state.over = true));
  return state;
}

async function held(): Promise<Of<"in_flight">> {
  return of("in_flight", two.ledger.claim("a", "same", fleet.options()));
}

describe("waiting for a holder in this process", () => {
  test.each(["settle", "release", "abandon"] as const)("ends at once with %s", async (end) => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    const duplicates = await Promise.all(
      [1, 2, 3].map(() => of("in_flight", one.ledger.claim("a", "same", fleet.options()))),
    );
    const waits = duplicates.map((duplicate) => watching(duplicate.wait(10_000)));
    await fleet.clock.advance(1_000);
    expect(waits.map(({ over }) => over)).toEqual([false, false, false]);
    await (end === "settle" ? hold.settle("done", 1_000) : hold[end]());
    await settleDown();
    expect(waits.map(({ over }) => over)).toEqual([true, true, true]);
    expect(fleet.clock.timers(true)).toBe(0);
  });

  test("asks the store nothing, and ends after the time given", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    const duplicate = await of("in_flight", one.ledger.claim("a", "same", fleet.options()));
    const wait = watching(duplicate.wait(1_500));
    expect(fleet.clock.timers(true)).toBe(1);
    await fleet.clock.advance(1_499);
    expect(wait.over).toBe(false);
    await fleet.clock.advance(1);
    expect(wait.over).toBe(true);
    expect(one.store.calls).toEqual(["insertOrGet"]);
  });

  test("goes on for one when it is over for another", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    const duplicate = await of("in_flight", one.ledger.claim("a", "same", fleet.options()));
    const [short, long] = [watching(duplicate.wait(100)), watching(duplicate.wait(10_000))];
    await fleet.clock.advance(1_000);
    expect([short.over, long.over]).toEqual([true, false]);
    await hold.settle("done", 1_000);
    await settleDown();
    expect(long.over).toBe(true);
  });

  test("ends when the holder finds that it lost the claim", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    const duplicate = await of("in_flight", one.ledger.claim("a", "same", fleet.options()));
    const wait = watching(duplicate.wait(60_000));
    fleet.clock.jump(6_000);
    await fresh(two.ledger.claim("a", "same", fleet.options()));
    await fleet.clock.advance(0);
    expect(wait.over).toBe(true);
  });

  test("is not ended by what happens to another claim", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    const other = await fresh(one.ledger.claim("b", "same", fleet.options()));
    const duplicate = await of("in_flight", one.ledger.claim("a", "same", fleet.options()));
    const wait = watching(duplicate.wait(1_000));
    await other.settle("done", 1_000);
    await settleDown();
    expect(wait.over).toBe(false);
  });

  test("is woken by another ledger over the same store", async () => {
    const store = memoryStore({}, () => fleet.clock.now());
    const [left, right] = [createLedger({ store }, fleet.clock), createLedger({ store })];
    const hold = await fresh(left.claim("a", "same", fleet.options()));
    const duplicate = await of("in_flight", right.claim("a", "same", fleet.options()));
    const waiting = duplicate.wait(60_000);
    await hold.settle("done", 1_000);
    await waiting;
  });
});

describe("waiting for a holder elsewhere", () => {
  test("looks with growing pauses, half a second at most", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    const wait = watching((await held()).wait(10_000));
    const looks: number[] = [];
    let before = two.store.calls.length;
    for (let ms = 0; ms < 10_000; ms += 1) {
      await fleet.clock.advance(1);
      if (two.store.calls.length > before) looks.push(ms + 1);
      before = two.store.calls.length;
    }
    expect(wait.over).toBe(true);
    const pauses = looks.map((look, index) => look - (looks[index - 1] ?? 0));
    expect(pauses.slice(0, 5)).toEqual([25, 40, 64, 103, 164]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(501);
    expect(looks.length).toBeGreaterThan(15);
    expect(two.store.calls.every((call) => call === "insertOrGet")).toBe(true);
  });

  test("ends soon after it settles", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    const wait = watching((await held()).wait(10_000));
    await fleet.clock.advance(3_000);
    await hold.settle("done", 1_000);
    expect(wait.over).toBe(false);
    await fleet.clock.advance(500);
    expect(wait.over).toBe(true);
    expect(fleet.clock.timers(true)).toBe(0);
  });

  test.each(["release", "abandon"] as const)("ends soon after %s", async (end) => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    const wait = watching((await held()).wait(10_000));
    await hold[end]();
    await fleet.clock.advance(25);
    expect(wait.over).toBe(true);
    expect(fleet.clock.timers(true)).toBe(0);
  });

  test("ends when the lease runs out, and not while it is renewed", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    const wait = watching((await held()).wait(60_000));
    await fleet.clock.advance(20_000);
    expect(wait.over).toBe(false);
    one.ledger.close();
    await fleet.clock.advance(5_500);
    expect(wait.over).toBe(false);
    await fleet.clock.advance(1_000);
    expect(wait.over).toBe(true);
    await fresh(two.ledger.claim("a", "same", fleet.options()));
  });

  test("ends when the lease runs out that was half gone when it began", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.ledger.close();
    await fleet.clock.advance(4_000);
    const wait = watching((await held()).wait(60_000));
    await fleet.clock.advance(1_500);
    expect(wait.over).toBe(false);
    await fleet.clock.advance(1_000);
    expect(wait.over).toBe(true);
  });

  test("ends with a look in the very moment in which the lease is over", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.ledger.close();
    await fleet.clock.advance(5_975);
    const wait = watching((await held()).wait(60_000));
    await fleet.clock.advance(25);
    expect(wait.over).toBe(true);
  });

  test("ends when somebody else took the claim over", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    const wait = watching((await held()).wait(60_000));
    one.ledger.close();
    fleet.clock.jump(6_000);
    await fresh(fleet.worker().ledger.claim("a", "same", fleet.options()));
    await fleet.clock.advance(500);
    expect(wait.over).toBe(true);
  });

  test("outlasts a store that is away for a while", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    const wait = watching((await held()).wait(10_000));
    two.store.fate = () => "request_lost";
    await fleet.clock.advance(3_000);
    expect(wait.over).toBe(false);
    await hold.settle("done", 1_000);
    two.store.fate = () => "done";
    await fleet.clock.advance(500);
    expect(wait.over).toBe(true);
  });

  test("ends in time when the store never answers", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    const duplicate = await held();
    two.store.travel = () => new Promise(() => undefined);
    const wait = watching(duplicate.wait(1_000));
    await fleet.clock.advance(1_000);
    expect(wait.over).toBe(true);
    expect(fleet.clock.timers(true)).toBe(0);
  });

  test.each(["done", "request_lost"] as const)(
    "asks nothing more once it is over, though a look was under way (%s)",
    async (fate) => {
      await fresh(one.ledger.claim("a", "same", fleet.options()));
      const duplicate = await held();
      const wait = watching(duplicate.wait(1_000));
      let arrive = (): void => undefined;
      two.store.travel = () => new Promise((resolve) => (arrive = resolve));
      two.store.fate = () => fate;
      await fleet.clock.advance(1_000);
      expect(wait.over).toBe(true);
      const calls = two.store.calls.length;
      two.store.travel = () => Promise.resolve();
      arrive();
      await fleet.clock.advance(5_000);
      expect(two.store.calls).toHaveLength(calls);
      expect(fleet.clock.timers(true)).toBe(0);
    },
  );

  test("leaves nothing of its own in the store", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    const wait = watching((await held()).wait(10_000));
    await hold.release();
    await fleet.clock.advance(25);
    expect(wait.over).toBe(true);
    expect(fleet.rows.rows).toBe(0);
  });
});
