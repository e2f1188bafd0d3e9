import { describe, expect, test } from "vitest";
import { Fleet, fresh, kinds, of } from "./bench.js";

const fleet = new Fleet();
let ids = 0;
const newId = (): string => `id-${ids++}`;

describe("settling", () => {
  test("twice is settling once", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "same", fleet.options()));
    expect(await hold.settle("done", 1_000)).toEqual({ won: true });
    expect(await hold.settle("done", 1_000)).toEqual({ won: true });
    const settled = await of("settled", two.ledger.claim(id, "same", fleet.options()));
    expect(settled.outcome).toBe("done");
  });

  test("another outcome second changes nothing and gets the first", async () => {
    const [one] = fleet.pair();
    const hold = await fresh(one.ledger.claim(newId(), "same", fleet.options()));
    await hold.settle("first", 1_000);
    expect(await hold.settle("second", 1_000)).toEqual({ won: false, outcome: "first" });
    expect(kinds(one)).toEqual(["outrun"]);
  });

  test("can't be undone by a release or an abandoning that comes after it", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "same", fleet.options()));
    await hold.settle("done", 1_000);
    await hold.release();
    await hold.abandon();
    await of("settled", two.ledger.claim(id, "same", fleet.options()));
  });

  test("nothing is a TypeError, and ends nothing", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const hold = await fresh(one.ledger.claim(id, "same", fleet.options()));
    expect(() => hold.settle("", 1_000)).toThrow(TypeError);
    expect(() => hold.settle("", 1_000)).toThrow(/not empty/);
    expect(hold.mayBegin()).toBe(true);
    await of("in_flight", two.ledger.claim(id, "same", fleet.options()));
  });
});

describe("an effect whose holder vanished", () => {
  test("is indeterminate, and stays so however often it is asked", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    await fresh(one.ledger.claim(id, "same", options));
    await fleet.stopped(one, 5_999);
    await of("in_flight", two.ledger.claim(id, "same", options));
    await fleet.stopped(one, 1);
    await of("indeterminate", two.ledger.claim(id, "same", options));
    await of("indeterminate", two.ledger.claim(id, "same", options));
    await of("mismatch", two.ledger.claim(id, "other", options));
  });

  test("is healed by its holder coming back", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    const hold = await fresh(one.ledger.claim(id, "same", options));
    await fleet.stopped(one, 7_000);
    await of("indeterminate", two.ledger.claim(id, "same", options));
    expect(await hold.settle("done after all", 1_000)).toEqual({ won: true });
    const settled = await of("settled", two.ledger.claim(id, "same", options));
    expect(settled.outcome).toBe("done after all");
    expect(kinds(one)).not.toContain("settled_late");
  });

  test("is taken by one, and in flight for the other who would take it", async () => {
    const [one, two] = fleet.pair();
    const third = fleet.worker();
    const id = newId();
    const options = fleet.options({ effect: true });
    await fresh(one.ledger.claim(id, "same", options));
    await fleet.stopped(one, 7_000);
    const left = await of("indeterminate", two.ledger.claim(id, "same", options));
    const right = await of("indeterminate", third.ledger.claim(id, "same", options));
    const hold = await fresh(left.take());
    expect(hold.mayBegin()).toBe(true);
    await of("in_flight", right.take());
    expect(await hold.settle("recovered", 1_000)).toEqual({ won: true });
    expect(kinds(two)).toEqual(["taken_over"]);
  });

  test("taken by one is settled for whoever would take it later", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    await fresh(one.ledger.claim(id, "same", options));
    await fleet.stopped(one, 7_000);
    const left = await of("indeterminate", two.ledger.claim(id, "same", options));
    const right = await of("indeterminate", two.ledger.claim(id, "same", options));
    await (await fresh(left.take())).settle("recovered", 1_000);
    expect((await of("settled", right.take())).outcome).toBe("recovered");
  });

  test("first to settle stands, be it the old holder", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    const old = await fresh(one.ledger.claim(id, "same", options));
    await fleet.stopped(one, 7_000);
    const taker = await fresh(
      (await of("indeterminate", two.ledger.claim(id, "same", options))).take(),
    );
    expect(await old.settle("the old one's", 1_000)).toEqual({ won: true });
    expect(await taker.settle("the taker's", 1_000)).toEqual({
      won: false,
      outcome: "the old one's",
    });
    expect(kinds(one)).toContain("settled_late");
    expect(kinds(two)).toContain("outrun");
  });

  test("first to settle stands, be it the taker", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    const old = await fresh(one.ledger.claim(id, "same", options));
    await fleet.stopped(one, 7_000);
    const taker = await fresh(
      (await of("indeterminate", two.ledger.claim(id, "same", options))).take(),
    );
    expect(await taker.settle("the taker's", 1_000)).toEqual({ won: true });
    expect(await old.settle("the old one's", 1_000)).toEqual({
      won: false,
      outcome: "the taker's",
    });
  });

  test("released by a taker who found that it was not done is fresh, and heals late", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    const old = await fresh(one.ledger.claim(id, "same", options));
    await fleet.stopped(one, 7_000);
    const taker = await fresh(
      (await of("indeterminate", two.ledger.claim(id, "same", options))).take(),
    );
    await taker.release();
    expect(await old.settle("done after all", 1_000)).toEqual({ won: true });
    await of("settled", two.ledger.claim(id, "same", options));
  });

  test("released by a taker who found that it was not done is as if never claimed", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    await fresh(one.ledger.claim(id, "same", options));
    await fleet.stopped(one, 7_000);
    const left = await of("indeterminate", two.ledger.claim(id, "same", options));
    await (await fresh(left.take())).release();
    await fresh(fleet.worker().ledger.claim(id, "other", options));
  });
});

describe("an abandoned claim", () => {
  test.each([true, false])("is indeterminate at once (effect: %s)", async (effect) => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect });
    const hold = await fresh(one.ledger.claim(id, "same", options));
    await hold.abandon();
    await of("indeterminate", one.ledger.claim(id, "same", options));
    await of("indeterminate", two.ledger.claim(id, "same", options));
    await of("mismatch", two.ledger.claim(id, "other", options));
  });

  test("is healed by settling", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    const hold = await fresh(one.ledger.claim(id, "same", options));
    await hold.abandon();
    expect(await hold.settle("known now", 1_000)).toEqual({ won: true });
    expect((await of("settled", two.ledger.claim(id, "same", options))).outcome).toBe("known now");
  });

  test("is healed by settling after it was taken", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ effect: true });
    const hold = await fresh(one.ledger.claim(id, "same", options));
    await hold.abandon();
    const left = await of("indeterminate", two.ledger.claim(id, "same", options));
    const taker = await fresh(left.take());
    expect(await hold.settle("known now", 1_000)).toEqual({ won: true });
    expect(await taker.settle("other", 1_000)).toEqual({ won: false, outcome: "known now" });
  });
});

describe("a round whose holder vanished", () => {
  test("is run again by the next who comes, with other answers too", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const old = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 5_999);
    await of("mismatch", two.ledger.claim(id, "those", fleet.options()));
    await fleet.stopped(one, 1);
    const next = await fresh(two.ledger.claim(id, "those", fleet.options()));
    expect(kinds(two)).toEqual(["taken_over"]);

    expect(await next.settle("new", 1_000)).toEqual({ won: true });
    // The old holder answered other answers: what stands is not for its caller.
    expect(await old.settle("old", 1_000)).toEqual({ won: false, outcome: undefined });
  });

  test("keeps its first outcome, though the next who came gave other answers", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const old = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 6_000);
    const next = await fresh(two.ledger.claim(id, "those", fleet.options()));
    expect(await old.settle("old", 1_000)).toEqual({ won: true });
    expect(await next.settle("new", 1_000)).toEqual({ won: false, outcome: undefined });
    const these = fleet.worker().ledger.claim(id, "these", fleet.options());
    expect((await of("settled", these)).outcome).toBe("old");
    await of("mismatch", fleet.worker().ledger.claim(id, "those", fleet.options()));
  });

  test("keeps its first outcome, though the next who came gives the claim back", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const old = await fresh(one.ledger.claim(id, "these", fleet.options()));
    await fleet.stopped(one, 6_000);
    const next = await fresh(two.ledger.claim(id, "those", fleet.options()));
    expect(await old.settle("old", 1_000)).toEqual({ won: true });
    await next.release();
    const these = fleet.worker().ledger.claim(id, "these", fleet.options());
    expect((await of("settled", these)).outcome).toBe("old");
  });

  test("goes to one of many who come at once", async () => {
    const [one] = fleet.pair();
    const id = newId();
    await fresh(one.ledger.claim(id, "same", fleet.options()));
    await fleet.stopped(one, 6_000);
    const all = await Promise.all(
      Array.from({ length: 8 }, async () =>
        fleet.worker().ledger.claim(id, "same", fleet.options()),
      ),
    );
    expect(all.filter(({ kind }) => kind === "fresh")).toHaveLength(1);
    expect(all.filter(({ kind }) => kind === "in_flight")).toHaveLength(7);
  });

  test("keeps its first outcome when its holder comes back before the next is done", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const old = await fresh(one.ledger.claim(id, "same", fleet.options()));
    await fleet.stopped(one, 6_000);
    const next = await fresh(two.ledger.claim(id, "same", fleet.options()));
    expect(await old.settle("old", 1_000)).toEqual({ won: true });
    expect(await next.settle("new", 1_000)).toEqual({ won: false, outcome: "old" });
  });

  test("that was lost can't release what the next one holds", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const old = await fresh(one.ledger.claim(id, "same", fleet.options()));
    await fleet.stopped(one, 6_000);
    await fresh(two.ledger.claim(id, "same", fleet.options()));
    await old.release();
    await old.abandon();
    await of("in_flight", fleet.worker().ledger.claim(id, "same", fleet.options()));
  });

  test("settled after its time is over stands for its holder alone", async () => {
    const [one, two] = fleet.pair();
    const id = newId();
    const options = fleet.options({ notAfter: fleet.clock.now() + 1_000 });
    const hold = await fresh(one.ledger.claim(id, "same", options));
    await fleet.clock.advance(1_000);
    expect(await hold.settle("late", 1_000)).toEqual({ won: true });
    await of("past", two.ledger.claim(id, "same", options));
  });
});
