import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { memoryStore, type MemoryStoreOptions } from "../../src/store/memory.js";
import type { Row } from "../../src/store/store.js";

const START = 1_700_000_000_000;
const full: unknown = expect.objectContaining({ code: "store_full" });
let now = START;

beforeEach(() => {
  now = START;
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Memory in use once there is no garbage, in bytes. */
function used(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const make = (options: MemoryStoreOptions = {}) => memoryStore(options, () => now);

const row = (change: Partial<Row> = {}): Row => ({
  owner: "me",
  mark: "m",
  body: "",
  bodyFor: 0,
  notAfter: now + 10_000,
  ...change,
});

describe("at the edge of its time", () => {
  test("a row is there until its last millisecond and not in the next", () => {
    const store = make();
    store.insertOrGet("a", row());
    now += 9_999;
    expect(store.insertOrGet("a", row({ notAfter: 0 }))).toMatchObject({ kind: "present" });
    now += 1;
    expect(store.insertOrGet("a", row({ notAfter: 0 }))).toEqual({ kind: "past" });
  });

  test("a row may end between two seconds, and so may a body", () => {
    const store = make();
    store.insertOrGet("a", row({ body: "kept", bodyFor: 300, notAfter: now + 500 }));
    now += 299;
    expect(store.insertOrGet("a", row())).toMatchObject({ row: { body: "kept" } });
    now += 1;
    expect(store.insertOrGet("a", row())).toMatchObject({ row: { body: "" } });
    now += 199;
    expect(store.insertOrGet("a", row())).toMatchObject({ kind: "present" });
    now += 1;
    expect(store.replaceIfOwner("a", "me", row())).toBe(false);
    expect(store.rows).toBe(0);
  });

  test("a row that would end now is past", () => {
    expect(make().insertOrGet("a", row({ notAfter: now }))).toEqual({ kind: "past" });
    expect(make().insertOrGet("a", row({ notAfter: now + 1 }))).toEqual({ kind: "inserted" });
  });

  test("a time that is no number is past", () => {
    expect(make().insertOrGet("a", row({ notAfter: Number.NaN }))).toEqual({ kind: "past" });
  });

  test("a body is there until its last millisecond and not in the next", () => {
    const store = make();
    store.insertOrGet("a", row({ body: "kept", bodyFor: 5_000 }));
    now += 4_999;
    expect(store.insertOrGet("a", row())).toMatchObject({ row: { body: "kept" } });
    now += 1;
    expect(store.insertOrGet("a", row())).toMatchObject({ row: { body: "", mark: "m" } });
  });

  test("an age is never below nothing, even if the clock is set back", () => {
    const store = make();
    store.insertOrGet("a", row());
    now -= 5_000;
    expect(store.insertOrGet("a", row())).toMatchObject({ row: { age: 0 } });
  });
});

describe("what it keeps", () => {
  test("clears what has expired as it goes, without being asked for it", () => {
    const store = make();
    for (let index = 0; index < 100; index += 1) store.insertOrGet(`a${index}`, row());
    expect(store.rows).toBe(100);
    now += 11_000;
    for (let index = 0; index < 30; index += 1) store.insertOrGet(`b${index}`, row());
    expect(store.rows).toBe(30);
  });

  test("clears four at a time, so that no call takes long", () => {
    const store = make();
    for (let index = 0; index < 100; index += 1) store.insertOrGet(`a${index}`, row());
    now += 11_000;
    store.insertOrGet("b", row());
    expect(store.rows).toBe(97);
    store.replaceIfOwner("b", "me", row());
    expect(store.rows).toBe(93);
    store.deleteIfOwner("none", "me");
    expect(store.rows).toBe(89);
  });

  test("clears a row in its time, however long its body was to be kept", () => {
    const store = make();
    store.insertOrGet("a", row({ body: "text", bodyFor: 60_000 }));
    now += 10_000;
    store.deleteIfOwner("none", "me");
    expect(store.rows).toBe(0);
  });

  test("counts every text, twice those that may be of any language", () => {
    const bytes = (name: string, change: Partial<Row> = {}): number => {
      const store = make();
      store.insertOrGet(name, row(change));
      return store.bytes;
    };
    const least = bytes("a");
    expect(bytes("abc")).toBe(least + 2);
    expect(bytes("a", { owner: "me and you" })).toBe(least + 8);
    expect(bytes("a", { mark: "mark" })).toBe(least + 3);
    expect(bytes("a", { body: "body", bodyFor: 1 })).toBe(least + 8);
  });

  test("keeps nothing of a holder that has no rows any more", () => {
    const store = make();
    const before = used();
    for (let index = 0; index < 30_000; index += 1) {
      store.insertOrGet("a", row(), `holder ${index}`);
      store.deleteIfOwner("a", "me");
    }
    expect(used() - before).toBeLessThan(1_500_000);
    expect(store.rows).toBe(0);
  });

  test("drops bodies as it goes, and keeps the marks", () => {
    const store = make();
    const body = "x".repeat(1000);
    for (let index = 0; index < 20; index += 1) {
      store.insertOrGet(`a${index}`, row({ body, bodyFor: 1_000 }));
    }
    const full = store.bytes;
    now += 2_500;
    for (let index = 0; index < 10; index += 1) store.deleteIfOwner("none", "me");
    expect(store.rows).toBe(20);
    expect(full - store.bytes).toBe(20 * 2000);
  });

  test("a claim given back leaves nothing", () => {
    const store = make();
    const before = store.bytes;
    for (let index = 0; index < 50; index += 1) {
      store.insertOrGet("a", row({ body: "text" }), "holder");
      expect(store.deleteIfOwner("a", "me")).toBe(true);
    }
    expect(store.rows).toBe(0);
    expect(store.bytes).toBe(before);
  });
});

describe("when it is full", () => {
  test("refuses a new row by number, and takes it once another has expired", () => {
    const store = make({ maxRows: 2 });
    store.insertOrGet("a", row());
    store.insertOrGet("b", row({ notAfter: now + 60_000 }));
    expect(() => store.insertOrGet("c", row())).toThrow(full);
    expect(store.insertOrGet("a", row())).toMatchObject({ kind: "present" });
    now += 10_000;
    expect(store.insertOrGet("c", row())).toEqual({ kind: "inserted" });
    expect(() => store.insertOrGet("d", row())).toThrow(full);
  });

  test("refuses a new row by size, and keeps the last eighth for outcomes", () => {
    const store = make({ maxBytes: 8_000 });
    store.insertOrGet("a", row());
    const empty = store.bytes;
    store.insertOrGet("b", row({ body: "x".repeat((7_000 - 2 * empty) / 2), bodyFor: 20_000 }));
    expect(store.bytes).toBe(7_000);
    expect(() => store.insertOrGet("c", row())).toThrow(full);
    const outcome = (length: number) => row({ body: "x".repeat(length), bodyFor: 20_000 });
    expect(() => store.replaceIfOwner("a", "me", outcome(501))).toThrow(full);
    expect(() => store.replaceIfOwner("a", "me", outcome(501))).toThrow(/`maxBytes` \(now 8000\)/);
    expect(store.replaceIfOwner("a", "me", outcome(500))).toBe(true);
    expect(store.bytes).toBe(8_000);
  });

  test("makes room for an outcome out of what has expired, to the last byte", () => {
    const store = make({ maxBytes: 4_000 });
    store.insertOrGet("my row!", row());
    const mine = store.bytes;
    for (let index = 0; index < 10; index += 1) {
      store.insertOrGet(`a${index}`, row({ notAfter: now + 1_000 }));
    }
    now += 2_000;
    const outcome = row({ body: "x".repeat((4_000 - mine) / 2), bodyFor: 20_000 });
    expect(store.replaceIfOwner("my row!", "me", outcome)).toBe(true);
    expect(store.rows).toBe(1);
    expect(store.bytes).toBe(4_000);
  });

  test("makes room for a new row out of what has expired", () => {
    const store = make({ maxBytes: 4_000 });
    for (let index = 0; index < 10; index += 1) store.insertOrGet(`a${index}`, row());
    const big = () => row({ body: "x".repeat(1_400), bodyFor: 20_000 });
    expect(() => store.insertOrGet("b", big())).toThrow(full);
    now += 10_000;
    expect(store.insertOrGet("b", big())).toEqual({ kind: "inserted" });
    expect(store.rows).toBe(1);
  });

  test("refuses a holder of many rows before it refuses others", () => {
    const store = make({ maxRows: 10 });
    const take = (holder: string, index: number) =>
      store.insertOrGet(`${holder}${index}`, row(), holder);
    for (let index = 0; index < 5; index += 1) take("greedy", index);
    expect(() => take("greedy", 5)).toThrow(full);
    expect(take("modest", 0)).toEqual({ kind: "inserted" });
    expect(store.insertOrGet("nobody", row())).toEqual({ kind: "inserted" });
    now += 10_000;
    expect(take("greedy", 5)).toEqual({ kind: "inserted" });
  });

  test("refuses a holder of many bytes before it refuses others", () => {
    const store = make({ maxBytes: 80_000 });
    const big = (notAfter = now + 10_000) =>
      row({ body: "x".repeat(10_000), bodyFor: 60_000, notAfter });
    store.insertOrGet("g1", big(), "greedy");
    expect(() => store.insertOrGet("g2", big(), "greedy")).not.toThrow();
    expect(() => store.insertOrGet("g3", big(), "greedy")).toThrow(full);
    expect(store.insertOrGet("m1", big(), "modest")).toEqual({ kind: "inserted" });
  });

  test("counts what a holder's row grows to by its outcome, and what it gives back", () => {
    const store = make({ maxBytes: 80_000 });
    store.insertOrGet("g1", row(), "greedy");
    const outcome = row({ body: "x".repeat(18_000), bodyFor: 60_000 });
    store.replaceIfOwner("g1", "me", outcome);
    expect(() => store.insertOrGet("g2", row(), "greedy")).toThrow(full);
    store.deleteIfOwner("g1", "me");
    expect(store.insertOrGet("g2", row(), "greedy")).toEqual({ kind: "inserted" });
  });

  test("lets a holder have all of its share", () => {
    const rows = make({ maxRows: 3 });
    rows.insertOrGet("a", row(), "one");
    expect(rows.insertOrGet("b", row(), "one")).toEqual({ kind: "inserted" });
    const bytes = make({ maxBytes: 8_000 });
    bytes.insertOrGet("a", row());
    const body = "x".repeat((7_000 - bytes.bytes) / 2);
    bytes.deleteIfOwner("a", "me");
    expect(bytes.insertOrGet("a", row({ body, bodyFor: 1 }), "one")).toEqual({ kind: "inserted" });
  });

  test("a share of a quarter is one of the bytes too", () => {
    const store = make({ maxBytes: 8_000, share: 0.25 });
    const body = "x".repeat(1_000);
    expect(() => store.insertOrGet("a", row({ body, bodyFor: 1 }), "one")).toThrow(full);
    expect(store.insertOrGet("a", row({ body, bodyFor: 1 }))).toEqual({ kind: "inserted" });
  });

  test("holds nobody to a share where it is not said whose a row is", () => {
    const store = make({ maxRows: 2, share: 0.25 });
    expect(() => store.insertOrGet("a", row(), "one")).toThrow(full);
    expect(store.insertOrGet("a", row())).toEqual({ kind: "inserted" });
  });

  test("a share of a quarter leaves a holder a fifth of the rows", () => {
    const store = make({ maxRows: 10, share: 0.25 });
    store.insertOrGet("a", row(), "one");
    store.insertOrGet("b", row(), "one");
    expect(() => store.insertOrGet("c", row(), "one")).toThrow(full);
  });

  test("says what to do", () => {
    const store = make({ maxRows: 1 });
    store.insertOrGet("a", row());
    expect(() => store.insertOrGet("b", row())).toThrow(/raise `maxRows` \(now 1\)/);
    const shared = make({ maxRows: 2 });
    shared.insertOrGet("a", row(), "one");
    expect(() => shared.insertOrGet("b", row(), "one")).toThrow(/`share`/);
    expect(() => make({ maxBytes: 10 }).insertOrGet("b", row())).toThrow(/`maxBytes` \(now 10\)/);
  });
});

describe("its options", () => {
  test.each(["maxRows", "maxBytes", "share"])("%s is a number above 0", (option) => {
    expect(() => memoryStore({ [option]: 0 })).toThrow(RangeError);
    expect(() => memoryStore({ [option]: 0 })).toThrow(`\`${option}\` must be above 0`);
    expect(() => memoryStore({ [option]: "10" })).toThrow(`\`${option}\` must be a number`);
    expect(() => memoryStore({ [option]: Number.NaN })).toThrow(RangeError);
    expect(() => memoryStore({ [option]: "10" })).toThrow(TypeError);
    expect(() => memoryStore({ [option]: 1 })).not.toThrow();
  });

  test("it says what it is", () => {
    expect(memoryStore()).toMatchObject({ name: "memory", survives: "process" });
  });
});

/** The store as one would write it without a thought for cost: what is live, in a list. */
class Model {
  rows = new Map<string, Row & { written: number }>();

  live(name: string) {
    const found = this.rows.get(name);
    return found !== undefined && found.notAfter > now ? found : undefined;
  }

  write(name: string, next: Row) {
    this.rows.set(name, { ...next, written: now });
  }
}

test("does what a list of live rows would do, and counts right", () => {
  const name = fc.constantFrom("a", "b", "c");
  const owner = fc.constantFrom("x", "y");
  const written = fc.record({
    owner,
    mark: fc.string({ maxLength: 3 }),
    body: fc.string({ maxLength: 3 }),
    bodyFor: fc.constantFrom(0, 500, 3_000),
    life: fc.constantFrom(-1, 0, 700, 1_000, 5_000),
  });
  const holder = fc.option(fc.constantFrom("p", "q"), { nil: undefined });
  const step = fc.oneof(
    fc.record({ do: fc.constant("insert" as const), name, row: written, holder }),
    fc.record({ do: fc.constant("replace" as const), name, owner, row: written }),
    fc.record({ do: fc.constant("delete" as const), name, owner }),
    fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1, 300, 1_000, 4_000) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      now = START;
      const store = make();
      const model = new Model();
      for (const next of steps) {
        if (next.do === "advance") {
          now += next.ms;
          continue;
        }
        const live = model.live(next.name);
        if (next.do === "delete") {
          const mine = live?.owner === next.owner;
          expect(store.deleteIfOwner(next.name, next.owner)).toBe(mine);
          if (mine) model.rows.delete(next.name);
          continue;
        }
        const { life, ...rest } = next.row;
        const written = { ...rest, notAfter: now + life };
        if (next.do === "replace") {
          const mine = live?.owner === next.owner;
          expect(store.replaceIfOwner(next.name, next.owner, written)).toBe(mine);
          if (mine) model.write(next.name, written);
        } else {
          const found = store.insertOrGet(next.name, written, next.holder);
          if (live !== undefined) {
            const { owner, mark } = live;
            const age = now - live.written;
            const body = age < live.bodyFor ? live.body : "";
            expect(found).toEqual({ kind: "present", row: { owner, mark, body, age } });
          } else {
            expect(found).toEqual({ kind: life > 0 ? "inserted" : "past" });
            if (life > 0) model.write(next.name, written);
          }
        }
      }
      now += 60_000;
      for (let index = 0; index < 10; index += 1) store.deleteIfOwner("none", "x");
      expect(store.rows).toBe(0);
      expect(store.bytes).toBe(0);
    }),
  );
});
