import { beforeEach, describe, expect, test } from "vitest";
import { createLedger } from "../../src/ledger/create.js";
import { ParleyError } from "../../src/protocol/errors.js";
import type { Inserted, Store } from "../../src/store/store.js";
import { settleDown } from "../support/fake-clock.js";
import type { Fate, Operation } from "../support/remote-store.js";
import { Fleet, fresh, of, protect, type Worker } from "./bench.js";

let fleet: Fleet;
let one: Worker;
let two: Worker;
const unavailable: unknown = expect.objectContaining({ code: "store_unavailable" });

beforeEach(() => {
  fleet = new Fleet();
  [one, two] = [fleet.worker(), fleet.worker()];
});

/** The first of these operations meets its fate, every other one is done. */
function once(worker: Worker, operation: Operation, fate: Fate, times = 1): void {
  let left = times;
  worker.store.fate = (called) => (called === operation && left-- > 0 ? fate : "done");
}

/** Lets a promise come to its end, with whatever time that takes. */
async function inTime<T>(promise: PromiseLike<T> | T): Promise<T> {
  const result = Promise.resolve(promise);
  result.catch(() => undefined);
  await fleet.clock.advance(10_000);
  return result;
}

describe("a claim over a bad connection", () => {
  test("that was carried out twice is the claimer's own", async () => {
    once(one, "insertOrGet", "twice");
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    await of("in_flight", two.ledger.claim("a", "same", fleet.options()));
  });

  test.each<Fate>(["request_lost", "reply_lost"])("fails and holds nothing (%s)", async (fate) => {
    once(one, "insertOrGet", fate);
    const options = fleet.options({ effect: true });
    await expect(one.ledger.claim("a", "same", options)).rejects.toThrow(unavailable);
    await settleDown();
    await fresh(two.ledger.claim("a", "same", options));
  });

  test("says so when what it left can't be taken back", async () => {
    one.store.fate = () => "reply_lost";
    await expect(one.ledger.claim("a", "same", fleet.options())).rejects.toThrow(unavailable);
    await settleDown();
    expect(one.events).toMatchObject([{ kind: "cleanup_failed" }]);
  });

  test.each([
    { how: "is done", fails: false, told: [] },
    { how: "fails", fails: true, told: ["cleanup_failed"] },
  ])("takes back what it left, where that $how at once", async ({ fails, told }) => {
    const left: string[] = [];
    const store: Store = {
      name: "mixed",
      survives: "fleet",
      insertOrGet: () => Promise.reject(new ParleyError("store_unavailable", "Away")),
      replaceIfOwner: () => false,
      deleteIfOwner: (name) => {
        left.push(name);
        if (fails) throw new ParleyError("store_unavailable", "Away");
        return true;
      },
    };
    const events: string[] = [];
    const onEvent = ({ kind }: { kind: string }): void => void events.push(kind);
    const ledger = createLedger({ store, protect, onEvent }, fleet.clock);
    await expect(ledger.claim("a", "same", fleet.options())).rejects.toThrow(unavailable);
    expect(left).toHaveLength(1);
    expect(events).toEqual(told);
  });

  test("taking a round over that was carried out twice is the taker's own", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.ledger.close();
    await fleet.clock.advance(6_000);
    once(two, "replaceIfOwner", "twice");
    await fresh(two.ledger.claim("a", "same", fleet.options()));
  });

  test("taking an effect over never makes it fresh, whatever fails", async () => {
    const options = fleet.options({ effect: true });
    await fresh(one.ledger.claim("a", "same", options));
    one.ledger.close();
    await fleet.clock.advance(6_000);
    const left = await of("indeterminate", two.ledger.claim("a", "same", options));
    // The take-over arrives twice, and the look after it is lost.
    two.store.fate = (operation) =>
      operation === "replaceIfOwner"
        ? "twice"
        : operation === "insertOrGet"
          ? "reply_lost"
          : "done";
    await expect(left.take()).rejects.toThrow(unavailable);
    await settleDown();
    two.store.fate = () => "done";
    await fleet.clock.advance(6_000);
    await of("indeterminate", fleet.worker().ledger.claim("a", "same", options));
  });

  test("is given up when others keep taking it from each other", async () => {
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.ledger.close();
    await fleet.clock.advance(6_000);
    const replace = two.store.replaceIfOwner.bind(two.store);
    two.store.replaceIfOwner = (name, _owner, row) => replace(name, "never the owner", row);
    const busy = await of("in_flight", two.ledger.claim("a", "same", fleet.options()));
    expect(two.store.calls).toHaveLength(16);
    await inTime(busy.wait(60_000));
  });
});

describe("settling over a bad connection", () => {
  test.each<Fate>(["request_lost", "reply_lost", "twice", "late"])(
    "wins all the same (%s)",
    async (fate) => {
      const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
      once(one, "replaceIfOwner", fate);
      expect(await inTime(hold.settle("done", 60_000))).toEqual({ won: true });
      one.store.deliver();
      const settled = await of("settled", two.ledger.claim("a", "same", fleet.options()));
      expect(settled.outcome).toBe("done");
    },
  );

  test("is tried four times, within two seconds, and says when it failed", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    once(one, "replaceIfOwner", "request_lost", 100);
    const settling = Promise.resolve(hold.settle("done", 60_000));
    const failed = expect(settling).rejects.toThrow(unavailable);
    await fleet.clock.advance(1_299);
    expect(one.store.calls).toHaveLength(4);
    await fleet.clock.advance(1);
    await failed;
    expect(one.store.calls).toHaveLength(5);
  });

  test("keeps the process from ending before it is written down", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    once(one, "replaceIfOwner", "request_lost");
    const settling = hold.settle("done", 60_000);
    await settleDown();
    expect(fleet.clock.timers(true)).toBe(1);
    expect(await inTime(settling)).toEqual({ won: true });
    expect(fleet.clock.timers(true)).toBe(0);
  });

  test("that failed lets the lease run out, and may be tried again", async () => {
    const options = fleet.options({ effect: true });
    const hold = await fresh(one.ledger.claim("a", "same", options));
    once(one, "replaceIfOwner", "request_lost", 100);
    await expect(inTime(hold.settle("done", 60_000))).rejects.toThrow(unavailable);
    await of("indeterminate", two.ledger.claim("a", "same", options));
    one.store.fate = () => "done";
    expect(await hold.settle("done", 60_000)).toEqual({ won: true });
    await of("settled", two.ledger.claim("a", "same", options));
  });

  test("is not repeated for a failure that a pause does not mend", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.store.replaceIfOwner = () => Promise.reject(new RangeError("a bug"));
    await expect(inTime(hold.settle("done", 1_000))).rejects.toThrow(unavailable);
    const other = await fresh(one.ledger.claim("b", "same", fleet.options()));
    let tries = 0;
    one.store.replaceIfOwner = () => {
      tries += 1;
      return Promise.reject(new ParleyError("store_full", "No room"));
    };
    const full: unknown = expect.objectContaining({ code: "store_full" });
    await expect(inTime(other.settle("done", 1_000))).rejects.toThrow(full);
    expect(tries).toBe(1);
  });

  test("writes its outcome down where the store had lost the claim", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    const other = new Fleet();
    const lost = other.worker();
    one.store.replaceIfOwner = lost.store.replaceIfOwner.bind(lost.store);
    one.store.insertOrGet = lost.store.insertOrGet.bind(lost.store);
    expect(await hold.settle("done", 60_000)).toEqual({ won: true });
    expect(one.events).toMatchObject([{ kind: "settled_late" }]);
    await of("settled", lost.ledger.claim("a", "same", fleet.options()));
  });

  test("looks again when the claim changed while it was looked at", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    const replace = one.store.replaceIfOwner.bind(one.store);
    let missed = 3;
    one.store.replaceIfOwner = (...all) =>
      missed-- > 0 ? Promise.resolve(false) : replace(...all);
    expect(await hold.settle("done", 60_000)).toEqual({ won: true });
    await of("settled", two.ledger.claim("a", "same", fleet.options({ effect: true })));
  });

  test("gives up when the claim changes each time it is looked at", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
    one.store.replaceIfOwner = () => Promise.resolve(false);
    const settling = inTime(hold.settle("done", 1_000));
    await expect(settling).rejects.toThrow(/each time/);
    await expect(settling).rejects.toThrow(unavailable);
    // Eight looks in each of four tries, after the claim.
    expect(one.store.calls).toHaveLength(1 + 4 * 8);
  });

  test("late fails when it finds a row that no ledger wrote", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.store.replaceIfOwner = () => Promise.resolve(false);
    const row = { owner: "other", mark: "?", body: "", age: 0 };
    one.store.insertOrGet = () => Promise.resolve({ kind: "present", row });
    await expect(inTime(hold.settle("done", 1_000))).rejects.toThrow(/no ledger wrote/);
  });

  test("ends with the last failure, at once if a pause does not mend it", async () => {
    const hold = await fresh(one.ledger.claim("a", "same", fleet.options()));
    const codes = ["store_unavailable", "store_full", "store_unavailable"] as const;
    let tries = 0;
    one.store.replaceIfOwner = () =>
      Promise.reject(new ParleyError(codes[tries++] ?? "usage", "A failure"));
    const full: unknown = expect.objectContaining({ code: "store_full" });
    await expect(inTime(hold.settle("done", 1_000))).rejects.toThrow(full);
    expect(tries).toBe(2);
  });
});

describe("giving back over a bad connection", () => {
  test.each<Fate>(["request_lost", "reply_lost", "twice", "late"])(
    "works all the same (%s)",
    async (fate) => {
      const hold = await fresh(one.ledger.claim("a", "same", fleet.options({ effect: true })));
      once(one, "deleteIfOwner", fate);
      await inTime(hold.release());
      await fresh(two.ledger.claim("a", "same", fleet.options({ effect: true })));
      one.store.deliver();
      await of("in_flight", one.ledger.claim("a", "same", fleet.options({ effect: true })));
    },
  );
});

describe("abandoning over a bad connection", () => {
  test("is not undone by a renewal that falls due before it is answered", async () => {
    const options = fleet.options({ effect: true });
    const hold = await fresh(one.ledger.claim("a", "same", options));
    let ways = 0;
    one.store.travel = () => (++ways === 2 ? new Promise(() => undefined) : Promise.resolve());
    void hold.abandon();
    await fleet.clock.advance(4_000);
    await of("indeterminate", two.ledger.claim("a", "same", options));
  });
});

describe("a store that is not as it should be", () => {
  const odd = (answer: () => unknown): Store => ({
    name: "odd",
    survives: "fleet",
    insertOrGet: answer as () => Promise<Inserted>,
    replaceIfOwner: answer as () => Promise<boolean>,
    deleteIfOwner: answer as () => Promise<boolean>,
  });
  const claim = (answer: () => unknown) =>
    createLedger({ store: odd(answer), protect }, fleet.clock).claim("a", "same", fleet.options());
  const row = (mark: string) => ({
    kind: "present",
    row: { owner: "other", mark, body: "", age: 0 },
  });

  test.each(["", "x", "r", "r;", "r12", "rabc;f", "r-1;f", "e1.5;f", "r9999999999999999;f"])(
    "fails as unavailable for the mark %j",
    async (mark) => {
      await expect(claim(() => Promise.resolve(row(mark)))).rejects.toThrow(unavailable);
    },
  );

  test("fails as unavailable when it throws something of its own", async () => {
    expect(() =>
      claim(() => {
        throw new TypeError("driver bug");
      }),
    ).toThrow(unavailable);
    const failing = claim(() => Promise.reject(new TypeError("driver bug")));
    await expect(failing).rejects.toThrow(unavailable);
    await expect(failing).rejects.toMatchObject({
      message: "The odd store failed",
      cause: { message: "driver bug" },
    });
  });

  test("does not lose a claim to a listener that throws", async () => {
    const onEvent = (): void => {
      throw new Error("listener bug");
    };
    const ledger = createLedger({ store: two.store, protect, onEvent }, fleet.clock);
    await fresh(one.ledger.claim("a", "same", fleet.options()));
    one.ledger.close();
    await fleet.clock.advance(6_000);
    await fresh(ledger.claim("a", "same", fleet.options()));
  });
});
