import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ResponseCache } from "../../src/client/response-cache.js";

describe("a response cache", () => {
  const key = (rest: string) => ({ method: "m", rest });

  test("holds no more than its limits, and lets go of what was not used for longest", () => {
    const cache = new ResponseCache({ entries: 2 });
    for (const rest of ["a", "b"]) cache.keep("p", key(rest), rest, 10);
    expect(cache.find(["p"], key("a"), 0)).toBe("a");
    cache.keep("p", key("c"), "c", 10);
    expect(["a", "b", "c"].map((rest) => cache.find(["p"], key(rest), 0))).toEqual([
      "a",
      undefined,
      "c",
    ]);
  });

  test.each([{ entries: 0 }, { bytes: -1 }, { bytes: Number.NaN }])("may not be %j", (limits) => {
    expect(() => new ResponseCache(limits)).toThrow(RangeError);
  });

  test("whatever is done to it, stays within its limits and tells only what it was told", () => {
    const places = fc.constantFrom("p", "q");
    const rests = fc.constantFrom("a", "b", "c", "d");
    const step = fc.oneof(
      fc.record({
        op: fc.constant("keep" as const),
        place: places,
        rest: rests,
        text: fc.string({ maxLength: 60 }),
        ttl: fc.integer({ min: 1, max: 20 }),
      }),
      fc.record({ op: fc.constant("find" as const), place: places, rest: rests }),
      fc.record({ op: fc.constant("drop" as const), place: places }),
      fc.record({ op: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 10 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const cache = new ResponseCache({ entries: 3, bytes: 300 });
        const model = new Map<string, { text: string; stale: number }>();
        let now = 0;
        for (const each of steps) {
          if (each.op === "wait") now += each.ms;
          else if (each.op === "drop") {
            cache.drop((place) => place === each.place);
            for (const name of [...model.keys()]) if (name[0] === each.place) model.delete(name);
          } else if (each.op === "keep") {
            cache.keep(each.place, key(each.rest), each.text, now + each.ttl);
            model.set(each.place + each.rest, { text: each.text, stale: now + each.ttl });
          } else {
            const found = cache.find([each.place], key(each.rest), now);
            const told = model.get(each.place + each.rest);
            const isFresh = told !== undefined && now < told.stale;
            if (found !== undefined) expect([isFresh, found]).toEqual([true, told?.text]);
          }
          expect(cache.entries).toBeLessThanOrEqual(3);
          expect(cache.bytes).toBeLessThanOrEqual(300);
          expect(cache.bytes).toBeGreaterThanOrEqual(0);
        }
        cache.clear();
        expect([cache.entries, cache.bytes]).toEqual([0, 0]);
      }),
    );
  });
});
