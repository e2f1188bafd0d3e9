import { describe, expect, test } from "vitest";
import { createLedger } from "../../src/ledger/create.js";
import { memoryStore } from "../../src/store/memory.js";
import type { Store } from "../../src/store/store.js";
import { FakeClock } from "../support/fake-clock.js";
import { at, protect } from "./bench.js";

const clock = new FakeClock();
const options = () => ({
  notAfter: clock.now() + 60_000,
  lease: 6_000,
  effect: true,
  holder: undefined,
});

/** A store that answers at once and outlives the process, as SQLite does. */
function machineStore(): Store {
  const rows = memoryStore({}, () => clock.now());
  return {
    name: "file",
    survives: "machine",
    insertOrGet: (name, row, holder) => rows.insertOrGet(name, row, holder),
    replaceIfOwner: (name, owner, row) => rows.replaceIfOwner(name, owner, row),
    deleteIfOwner: (name, owner) => rows.deleteIfOwner(name, owner),
  };
}

describe.each([
  ["memory", () => memoryStore({}, () => clock.now())],
  ["a file", machineStore],
] as const)("over %s", (_name, make) => {
  test("everything is answered at once, without a promise", () => {
    const ledger = createLedger({ store: make(), protect }, clock);
    const first = at("fresh", ledger.claim("a", "same", options())).hold;
    at("in_flight", ledger.claim("a", "same", options()));
    at("mismatch", ledger.claim("a", "other", options()));
    expect(first.release()).toBeUndefined();
    const second = at("fresh", ledger.claim("a", "same", options())).hold;
    expect(second.abandon()).toBeUndefined();
    const left = at("indeterminate", ledger.claim("a", "same", options()));
    const third = at("fresh", left.take()).hold;
    expect(third.settle("done", 1_000)).toEqual({ won: true });
    expect(second.settle("other", 1_000)).toEqual({ won: false, outcome: "done" });
    expect(at("settled", ledger.claim("a", "same", options())).outcome).toBe("done");
    expect(ledger.epoch()).not.toBeInstanceOf(Promise);
    clock.jump(60_000);
    at("past", ledger.claim("a", "same", { ...options(), notAfter: clock.now() }));
    const round = at("fresh", ledger.claim("b", "same", { ...options(), effect: false })).hold;
    expect(round.pin()).toBe(true);
    expect(round.release()).toBeUndefined();
    at("mismatch", ledger.claim("b", "other", { ...options(), effect: false }));
  });
});

test.each([
  ["memory", () => memoryStore({}, () => clock.now())],
  ["a file", machineStore],
] as const)("an outcome over %s is undefined once it is no longer kept", (_name, make) => {
  const ledger = createLedger({ store: make(), protect }, clock);
  at("fresh", ledger.claim("a", "same", options())).hold.settle("done", 1_000);
  clock.jump(1_000);
  expect(at("settled", ledger.claim("a", "same", options())).outcome).toBeUndefined();
});

test("an outcome that stays in the process is not protected", () => {
  const uncalled = (): never => {
    throw new Error("Protected for nobody");
  };
  const store = memoryStore({}, () => clock.now());
  const ledger = createLedger({ store, protect: { protect: uncalled, reveal: uncalled } }, clock);
  at("fresh", ledger.claim("a", "same", options())).hold.settle("done", 1_000);
  expect(at("settled", ledger.claim("a", "same", options())).outcome).toBe("done");
});

describe("over a file", () => {
  test("a long hold is renewed", async () => {
    const store = machineStore();
    const [left, right] = [
      createLedger({ store, protect }, clock),
      createLedger({ store: { ...store }, protect }, clock),
    ];
    at("fresh", left.claim("a", "same", options()));
    await clock.advance(20_000);
    at("in_flight", right.claim("a", "same", options()));
    left.close();
    await clock.advance(6_000);
    at("indeterminate", right.claim("a", "same", options()));
  });

  test("a failing renewal is told and tried again", async () => {
    const store = machineStore();
    const events: string[] = [];
    const onEvent = ({ kind }: { kind: string }): void => void events.push(kind);
    const ledger = createLedger({ store, protect, onEvent }, clock);
    at("fresh", ledger.claim("a", "same", options()));
    const { replaceIfOwner } = store;
    store.replaceIfOwner = () => {
      throw new Error("locked");
    };
    await clock.advance(2_000);
    expect(events).toEqual(["renewal_failed"]);
    store.replaceIfOwner = replaceIfOwner;
    await clock.advance(20_000);
    expect(events).toEqual(["renewal_failed"]);
    ledger.close();
  });

  test("a hold that is found lost takes the timer with it", async () => {
    const store = machineStore();
    const [left, right] = [
      createLedger({ store, protect }, clock),
      createLedger({ store: { ...store }, protect }, clock),
    ];
    const { hold } = at("fresh", left.claim("a", "same", options()));
    clock.jump(6_000);
    at("fresh", at("indeterminate", right.claim("a", "same", options())).take());
    right.close();
    await clock.advance(0);
    expect(hold.mayBegin()).toBe(false);
    expect(clock.timers(false)).toBe(0);
  });

  test("a wait ends soon after another process settled, though a look failed", async () => {
    const store = machineStore();
    const other = { ...store };
    const [left, right] = [
      createLedger({ store, protect }, clock),
      createLedger({ store: other, protect }, clock),
    ];
    const { hold } = at("fresh", left.claim("a", "same", options()));
    const busy = at("in_flight", right.claim("a", "same", options()));
    let over = false;
    void busy.wait(10_000).then(() => (over = true));
    other.insertOrGet = () => {
      throw new Error("locked");
    };
    await clock.advance(1_000);
    other.insertOrGet = store.insertOrGet;
    await clock.advance(1_000);
    expect(over).toBe(false);
    expect(hold.settle("done", 1_000)).toEqual({ won: true });
    await clock.advance(500);
    expect(over).toBe(true);
  });

  test("settling outlasts a store that fails for a moment", async () => {
    const { ParleyError } = await import("../../src/protocol/errors.js");
    const store = machineStore();
    const ledger = createLedger({ store, protect }, clock);
    const { hold } = at("fresh", ledger.claim("a", "same", options()));
    const { replaceIfOwner } = store;
    let fails = 2;
    store.replaceIfOwner = (...all) => {
      if (fails-- > 0) throw new ParleyError("store_unavailable", "locked");
      return replaceIfOwner(...all);
    };
    const settling = hold.settle("done", 1_000);
    await clock.advance(300);
    expect(await settling).toEqual({ won: true });
  });

  test("settling with no room left fails at once, and lets the lease run out", () => {
    const rows = memoryStore({ maxBytes: 2_000 }, () => clock.now());
    const ledger = createLedger({ store: rows }, clock);
    const { hold } = at("fresh", ledger.claim("a", "same", options()));
    const full: unknown = expect.objectContaining({ code: "store_full" });
    expect(() => hold.settle("x".repeat(2_000), 1_000)).toThrow(full);
    clock.jump(6_000);
    at("indeterminate", ledger.claim("a", "same", options()));
    expect(hold.settle("short", 1_000)).toEqual({ won: true });
  });
});
