import { describe, expect, test } from "vitest";
import { Fleet, fresh, kinds, of } from "./bench.js";

/*
 * A round in which an effect may have begun is pinned to the answers that it was claimed with:
 * run again with others, the flow would go on from what never happened.
 */

const fleet = new Fleet();
let ids = 0;
const newId = (): string => `id-${ids++}`;

describe("a pinned round", () => {
  test("whose holder vanished is taken with the same answers alone, on demand", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    expect(await hold.pin()).toBe(true);
    await of("in_flight", two.ledger.claim(id, "these", fleet.options()));
    await of("mismatch", two.ledger.claim(id, "those", fleet.options()));
    await fleet.stopped(one, 6_000);
    await of("mismatch", two.ledger.claim(id, "those", fleet.options()));
    const left = await of("indeterminate", two.ledger.claim(id, "these", fleet.options()));
    const next = await fresh(left.take());
    expect(await next.settle("done", 1_000)).toEqual({ won: true });
    expect(await hold.settle("late", 1_000)).toEqual({ won: false, outcome: "done" });
  });

  test("stays pinned in the hands of who took it, silent again or given back", async () => {
    const [one, two] = fleet.pair();
    const third = fleet.worker();
    const id = newId();
    await (await fresh(one.ledger.claim(id, "these", fleet.options()))).pin();
    await fleet.stopped(one, 6_000);
    const left = await of("indeterminate", two.ledger.claim(id, "these", fleet.options()));
    const next = await fresh(left.take());
    const calls = two.store.calls.length;
    expect(await next.pin()).toBe(true);
    expect(two.store.calls).toHaveLength(calls);
    await fleet.stopped(two, 6_000);
    await of("mismatch", third.ledger.claim(id, "those", fleet.options()));
    await next.release();
    await of("mismatch", third.ledger.claim(id, "those", fleet.options()));
    await of("indeterminate", third.ledger.claim(id, "these", fleet.options()));
  });

  test("stays pinned when its taking reached the store twice", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    await (await fresh(one.ledger.claim(id, "these", fleet.options()))).pin();
    await fleet.stopped(one, 6_000);
    const left = await of("indeterminate", two.ledger.claim(id, "these", fleet.options()));
    two.store.fate = (operation) => (operation === "replaceIfOwner" ? "twice" : "done");
    const next = await fresh(left.take());
    await next.release();
    const third = fleet.worker();
    await of("mismatch", third.ledger.claim(id, "those", fleet.options()));
  });

  test("given back is there at once for the same answers, and for no others", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await hold.pin();
    await hold.release();
    for (const worker of [one, two]) {
      await of("mismatch", worker.ledger.claim(id, "those", fleet.options()));
    }
    const left = await of("indeterminate", two.ledger.claim(id, "these", fleet.options()));
    expect(await (await fresh(left.take())).settle("done", 1_000)).toEqual({ won: true });
  });

  test("is renewed as such", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await hold.pin();
    await fleet.clock.advance(30_000);
    await of("in_flight", two.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 6_000);
    await of("mismatch", two.ledger.claim(id, "those", fleet.options()));
    expect(kinds(one)).toEqual([]);
  });

  test("begins its lease anew", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 2_900);
    await hold.pin();
    await fleet.stopped(one, 2_900);
    expect(hold.mayBegin()).toBe(true);
    await fleet.stopped(one, 3_000);
    await of("in_flight", two.ledger.claim(id, "these", fleet.options()));
  });

  test("counts its lease from before it was sent", async () => {
    const [one] = fleet.pair();
    const hold = await fresh(one.ledger.claim(newId(), "these", fleet.options()));
    one.store.travel = async () => fleet.clock.jump(1_500);
    expect(await hold.pin()).toBe(true);
    expect(hold.mayBegin()).toBe(false);
  });

  test("is not untied by a renewal that arrives after it", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    one.store.fate = () => "late";
    await fleet.clock.advance(2_500);
    expect(kinds(one)).toContain("renewal_failed");
    one.store.fate = () => "done";
    expect(await hold.pin()).toBe(true);
    one.store.deliver();
    await fleet.stopped(one, 6_000);
    await of("mismatch", two.ledger.claim(id, "those", fleet.options()));
  });

  test("is not lost by a renewal that is answered after it", async () => {
    const [one] = fleet.pair();
    const hold = await fresh(one.ledger.claim(newId(), "these", fleet.options()));
    const waiting: (() => void)[] = [];
    one.store.travel = () => new Promise((resolve) => waiting.push(resolve));
    await fleet.clock.advance(2_500);
    expect(waiting).toHaveLength(1);
    one.store.travel = () => Promise.resolve();
    expect(await hold.pin()).toBe(true);
    for (const go of waiting) go();
    await fleet.clock.advance(1);
    expect(kinds(one)).toEqual([]);
    expect(await hold.settle("done", 1_000)).toEqual({ won: true });
    expect(kinds(one)).toEqual([]);
  });

  test("is not lost by a renewal that is answered while it is being pinned", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 1_900);
    let answer = (): void => undefined;
    let ways = 0;
    one.store.travel = () =>
      ++ways === 2 ? new Promise((resolve) => (answer = resolve)) : Promise.resolve();
    const pinning = hold.pin();
    await fleet.clock.advance(1_000);
    expect(one.store.calls).toEqual(["insertOrGet", "replaceIfOwner", "replaceIfOwner"]);
    answer();
    expect(await pinning).toBe(true);
    expect(kinds(one)).toEqual([]);
    await fleet.clock.advance(30_000);
    await of("in_flight", two.ledger.claim(id, "these", fleet.options()));
  });

  test("is not to be taken by who saw its holder silent before", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 6_000);
    // The other one has looked, and is on its way to take the round.
    let go = (): void => undefined;
    two.store.travel = () =>
      two.store.calls.at(-1) === "replaceIfOwner"
        ? new Promise((resolve) => (go = resolve))
        : Promise.resolve();
    const late = two.ledger.claim(id, "those", fleet.options());
    await fleet.clock.advance(0);
    expect(await hold.pin()).toBe(true);
    two.store.travel = () => Promise.resolve();
    go();
    await of("mismatch", late);
    expect(await hold.settle("done", 1_000)).toEqual({ won: true });
  });

  test("is settled by nobody who gave other answers", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const old = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 6_000);
    const next = await fresh(two.ledger.claim(id, "those", fleet.options()));
    expect(await next.pin()).toBe(true);
    expect(await old.settle("old", 1_000)).toEqual({ won: false, outcome: undefined });
    expect(kinds(one)).toContain("outrun");
    await next.release();
    expect(await old.settle("old", 1_000)).toEqual({ won: false, outcome: undefined });
    const left = await of("indeterminate", two.ledger.claim(id, "those", fleet.options()));
    expect(await (await fresh(left.take())).settle("new", 1_000)).toEqual({ won: true });
  });
});

describe("a round that can't be pinned", () => {
  test("is one that was taken by somebody else", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const old = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 6_000);
    await fresh(two.ledger.claim(id, "those", fleet.options()));
    expect(await old.pin()).toBe(false);
    expect(kinds(one)).toEqual(["claim_lost"]);
    const calls = one.store.calls.length;
    expect(await old.pin()).toBe(false);
    expect(one.store.calls).toHaveLength(calls);
  });

  test("is one that has ended", async () => {
    const [one] = fleet.pair();
    const settled = await fresh(one.ledger.claim(newId(), "these", fleet.options()));
    await settled.settle("done", 1_000);
    expect(await settled.pin()).toBe(false);
    const released = await fresh(one.ledger.claim(newId(), "these", fleet.options()));
    await released.release();
    expect(await released.pin()).toBe(false);
    expect(kinds(one)).toEqual([]);
  });

  test("for want of the store may be tried again", async () => {
    const [one] = fleet.pair();
    const hold = await fresh(one.ledger.claim(newId(), "these", fleet.options()));
    one.store.fate = () => "request_lost";
    await expect(hold.pin()).rejects.toMatchObject({ code: "store_unavailable" });
    one.store.fate = () => "done";
    expect(await hold.pin()).toBe(true);
  });

  test("may still have been: then only the same answers come after it", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "these", fleet.options()));
    one.store.fate = () => "reply_lost";
    await expect(hold.pin()).rejects.toMatchObject({ code: "store_unavailable" });
    one.store.fate = () => "done";
    await hold.release();
    await of("mismatch", two.ledger.claim(id, "those", fleet.options()));
    expect(await hold.settle("done", 1_000)).toEqual({ won: true });
    await of("settled", two.ledger.claim(id, "these", fleet.options()));
  });
});

test("effects that begin side by side pin their round once", async () => {
  const [one] = fleet.pair();
  const hold = await fresh(one.ledger.claim(newId(), "these", fleet.options()));
  const calls = one.store.calls.length;
  expect(await Promise.all([hold.pin(), hold.pin(), hold.pin()])).toEqual([true, true, true]);
  expect(one.store.calls).toHaveLength(calls + 1);
});
