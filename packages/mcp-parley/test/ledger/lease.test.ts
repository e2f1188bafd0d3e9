import { beforeEach, describe, expect, test } from "vitest";
import { createLedger } from "../../src/ledger/create.js";
import { memoryStore } from "../../src/store/memory.js";
import { FakeClock, settleDown } from "../support/fake-clock.js";
import { at, Fleet, fresh, of, type Worker } from "./bench.js";

let fleet: Fleet;
let one: Worker;
let two: Worker;

beforeEach(() => {
  fleet = new Fleet();
  [one, two] = [fleet.worker(), fleet.worker()];
});

describe("a long hold", () => {
  test("is renewed for as long as it runs", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    for (let second = 0; second < 60; second += 1) {
      await fleet.clock.advance(1_000);
      await of("in_flight", two.ledger.claim("a", "same", fleet.options()));
    }
    expect(one.events).toEqual([]);
  });

  test("is renewed after a third of its lease, and an effect may begin all the while", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    await fleet.clock.advance(1_999);
    expect(one.store.calls).toEqual(["insertOrGet"]);
    await fleet.clock.advance(1);
    expect(one.store.calls).toEqual(["insertOrGet", "replaceIfOwner"]);
    for (let step = 0; step < 30; step += 1) {
      await fleet.clock.advance(1_000);
      expect(hold.mayBegin()).toBe(true);
    }
  });

  test("stays an effect's, or a round's, when renewed", async () => {
    await fresh(one.ledger.claim("effect", "same", fleet.options({ effect: true })));
    await fresh(one.ledger.claim("round", "same", fleet.options()));
    await fleet.clock.advance(4_000);
    one.ledger.close();
    await fleet.clock.advance(6_000);
    await of("indeterminate", two.ledger.claim("effect", "same", fleet.options({ effect: true })));
    await fresh(two.ledger.claim("round", "same", fleet.options()));
  });

  test("shares one timer with all others, that does not keep the process alive", async () => {
    for (let index = 0; index < 10; index += 1) {
      await fresh(one.ledger.claim(`a${index}`, "same", fleet.options()));
      await fleet.clock.advance(50);
    }
    expect(fleet.clock.timers(false)).toBe(1);
    expect(fleet.clock.timers(true)).toBe(0);
    await fleet.clock.advance(20_000);
    expect(fleet.clock.timers(false)).toBe(1);
  });

  test("with a shorter lease than the others is renewed in its own time", async () => {
    await fresh(one.ledger.claim("long", "same", fleet.options({ lease: 60_000 })));
    await fresh(one.ledger.claim("short", "same", fleet.options({ lease: 300 })));
    expect(fleet.clock.timers(false)).toBe(1);
    await fleet.clock.advance(5_000);
    await of("in_flight", two.ledger.claim("short", "same", fleet.options()));
    expect(one.store.calls.length).toBeGreaterThan(30);
    expect(one.store.calls.length).toBeLessThan(60);
  });

  test("is renewed in its own time when a longer one comes after it", async () => {
    await fresh(one.ledger.claim("short", "same", fleet.options({ lease: 300 })));
    await fresh(one.ledger.claim("long", "same", fleet.options({ lease: 60_000 })));
    await fleet.clock.advance(300);
    await of("in_flight", two.ledger.claim("short", "same", fleet.options()));
    expect(one.events).toEqual([]);
  });

  test("is renewed after a third of its lease when another came before it", async () => {
    const renewed = (): number => one.store.calls.filter((call) => call !== "insertOrGet").length;
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    await fleet.clock.advance(1_500);
    await fresh(one.ledger.claim("b", "same", fleet.options()));
    await fleet.clock.advance(1_999);
    expect(renewed()).toBe(1);
    await fleet.clock.advance(1);
    expect(renewed()).toBe(2);
  });

  test("is not renewed once it has ended, and the timer ends with the last", async () => {
    const settled = await fresh(one.ledger.claim("a", "same", fleet.options()));
    const released = await fresh(one.ledger.claim("b", "same", fleet.options()));
    const abandoned = await fresh(one.ledger.claim("c", "same", fleet.options()));
    await settled.settle("done", 1_000);
    await released.release();
    await abandoned.abandon();
    const calls = one.store.calls.length;
    await fleet.clock.advance(60_000);
    expect(one.store.calls).toHaveLength(calls);
    expect(fleet.clock.timers(false)).toBe(0);
  });

  test("ends with its row", async () => {
    const notAfter = fleet.clock.now() + 5_000;
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ notAfter })));
    await fleet.clock.advance(8_000);
    expect(hold.mayBegin()).toBe(false);
    expect(one.events).toMatchObject([{ kind: "claim_lost" }]);
    expect(fleet.clock.timers(false)).toBe(0);
  });
});

describe("a renewal that fails", () => {
  test("is tried again within the lease", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.store.fate = () => "request_lost";
    await fleet.clock.advance(2_000);
    expect(one.events).toMatchObject([
      { kind: "renewal_failed", error: { code: "store_unavailable" } },
    ]);
    await fleet.clock.advance(999);
    expect(hold.mayBegin()).toBe(true);
    await fleet.clock.advance(1);
    expect(hold.mayBegin()).toBe(false);
    expect(one.events).toHaveLength(2);
    one.store.fate = () => "done";
    await fleet.clock.advance(1_000);
    expect(hold.mayBegin()).toBe(true);
    await fleet.clock.advance(10_000);
    await of("in_flight", two.ledger.claim("a", "same", fleet.options()));
  });

  test("is not started again while it is under way", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.store.travel = () => new Promise(() => undefined);
    await fleet.clock.advance(30_000);
    expect(one.store.calls).toEqual(["insertOrGet", "replaceIfOwner"]);
  });

  test("because the claim was taken ends the hold", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    fleet.clock.jump(6_000);
    await fresh(two.ledger.claim("a", "same", fleet.options()));
    await fleet.clock.advance(0);
    expect(one.events).toMatchObject([{ kind: "claim_lost" }]);
    expect(hold.mayBegin()).toBe(false);
    await of("in_flight", one.ledger.claim("a", "same", fleet.options()));
  });

  test("because the row is gone ends the hold at once, well within its lease", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.store.replaceIfOwner = () => Promise.resolve(false);
    await fleet.clock.advance(1_999);
    expect(hold.mayBegin()).toBe(true);
    await fleet.clock.advance(1);
    expect(hold.mayBegin()).toBe(false);
  });

  test("and fails after the hold has ended says nothing", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    let fail: (() => void) | undefined;
    const replace = one.store.replaceIfOwner.bind(one.store);
    one.store.replaceIfOwner = () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error("late"));
      });
    await fleet.clock.advance(2_000);
    one.store.replaceIfOwner = replace;
    await hold.settle("done", 1_000);
    fail?.();
    await fleet.clock.advance(10_000);
    expect(one.events).toEqual([]);
  });

  test("and comes back after the hold has ended says nothing", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    let arrive: (() => void) | undefined;
    one.store.travel = () => new Promise((resolve) => (arrive = resolve));
    await fleet.clock.advance(2_000);
    one.store.travel = () => Promise.resolve();
    await hold.settle("done", 1_000);
    arrive?.();
    await fleet.clock.advance(10_000);
    expect(one.events).toEqual([]);
    await of("settled", two.ledger.claim("a", "same", fleet.options()));
  });
});

describe("an effect may begin", () => {
  test("in the first half of the lease alone", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    fleet.clock.jump(2_999);
    expect(hold.mayBegin()).toBe(true);
    fleet.clock.jump(1);
    expect(hold.mayBegin()).toBe(false);
  });

  test("counted from before the claim was sent", async () => {
    one.store.travel = async () => fleet.clock.jump(1_500);
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    expect(hold.mayBegin()).toBe(false);
  });

  test("counted from before a take-over was sent", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    one.ledger.close();
    await fleet.clock.advance(6_000);
    const options = fleet.options({ effect: true });
    const left = await of("indeterminate", two.ledger.claim("a", "same", options));
    fleet.clock.jump(5_000);
    const hold = await fresh(left.take());
    expect(hold.mayBegin()).toBe(true);
    fleet.clock.jump(3_000);
    expect(hold.mayBegin()).toBe(false);
  });

  test("by the wall clock when the machine slept, by the steady one when it was set back", async () => {
    const slept = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    fleet.clock.skew += 3_000;
    expect(slept.mayBegin()).toBe(false);
    const set = await fresh(one.ledger.claim("b", "same", fleet.options({ effect: true })));
    fleet.clock.skew -= 60_000;
    fleet.clock.jump(3_000);
    expect(set.mayBegin()).toBe(false);
  });
});

describe("a hold that was silent past its lease", () => {
  test("lets no effect begin any more, since who saw that may take it at any later moment", async () => {
    const options = fleet.options({ effect: true });
    const hold = await fresh(one.ledger.claim("a", "same", options));
    fleet.clock.jump(6_000);
    const seen = await of("indeterminate", two.ledger.claim("a", "same", options));
    await fleet.clock.advance(1);
    expect(one.store.calls).toEqual(["insertOrGet", "replaceIfOwner"]);
    await of("in_flight", fleet.worker().ledger.claim("a", "same", options));
    expect(hold.mayBegin()).toBe(false);
    const taken = await fresh(seen.take());
    expect(taken.mayBegin()).toBe(true);
    expect(await hold.settle("done", 60_000)).toEqual({ won: true });
    expect(await taken.settle("done twice", 60_000)).toEqual({ won: false, outcome: "done" });
  });

  test("by the time its renewal was answered, not sent", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    const arrive: (() => void)[] = [];
    one.store.travel = () => new Promise((resolve) => void arrive.push(resolve));
    await fleet.clock.advance(2_000);
    fleet.clock.jump(4_000);
    while (arrive.length > 0) {
      arrive.shift()?.();
      await settleDown();
    }
    expect(one.events).toEqual([]);
    expect(hold.mayBegin()).toBe(false);
  });

  test("is silent no more under a claim of its own", async () => {
    const options = fleet.options({ effect: true });
    const hold = await fresh(one.ledger.claim("a", "same", options));
    fleet.clock.jump(6_000);
    await fleet.clock.advance(1);
    await hold.release();
    expect((await fresh(one.ledger.claim("a", "same", options))).mayBegin()).toBe(true);
  });
});

describe("a ledger that is closed", () => {
  test("looks to others as if its process had gone", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    one.ledger.close();
    expect(hold.mayBegin()).toBe(false);
    expect(fleet.clock.timers(false)).toBe(0);
    await fleet.clock.advance(6_000);
    await of("indeterminate", two.ledger.claim("a", "same", fleet.options({ effect: true })));
    expect(one.store.calls).toEqual(["insertOrGet"]);
  });
});

describe("over a store of the process", () => {
  const clock = new FakeClock();
  const store = memoryStore({}, () => clock.now());
  const [left, right] = [createLedger({ store }, clock), createLedger({ store }, clock)];
  const options = (effect: boolean) => ({
    notAfter: clock.now() + 600_000,
    lease: 6_000,
    effect,
    holder: undefined,
  });

  test("a holder can't vanish: it is waited for however long it runs, without a timer", () => {
    const { hold } = at("fresh", left.claim("a", "same", options(true)));
    const round = at("fresh", left.claim("pinned", "same", options(false))).hold;
    expect(round.pin()).toBe(true);
    clock.jump(300_000);
    expect(round.mayBegin()).toBe(true);
    expect(clock.timers(false)).toBe(0);
    expect(hold.mayBegin()).toBe(true);
    at("in_flight", left.claim("a", "same", options(true)));
    at("in_flight", right.claim("a", "same", options(true)));
    at("mismatch", right.claim("a", "other", options(true)));
  });

  test("a holder that has ended does not end the next one by ending again", () => {
    const first = at("fresh", left.claim("next", "same", options(true))).hold;
    first.abandon();
    at("fresh", at("indeterminate", left.claim("next", "same", options(true))).take());
    first.release();
    clock.jump(6_000);
    at("in_flight", left.claim("next", "same", options(true)));
  });

  test("a ledger that is closed lets go of its holds, and of no others", () => {
    const third = createLedger({ store }, clock);
    at("fresh", third.claim("effect", "same", options(true)));
    at("fresh", third.claim("round", "same", options(false)));
    at("fresh", left.claim("other", "same", options(false)));
    third.close();
    at("in_flight", left.claim("round", "same", options(false)));
    clock.jump(6_000);
    at("indeterminate", left.claim("effect", "same", options(true)));
    at("fresh", left.claim("round", "same", options(false)));
    at("in_flight", right.claim("other", "same", options(false)));
  });
});
