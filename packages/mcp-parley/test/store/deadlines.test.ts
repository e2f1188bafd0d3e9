import fc from "fast-check";
import { expect, test } from "vitest";
import { Deadlines, type Due } from "../../src/store/deadlines.js";

interface Item extends Due {
  readonly id: number;
  at: number;
}

const item = (id: number, at: number): Item => ({ id, at, bucket: 0, slot: 0 });

test("gives things out once due, to within a second, and never before", () => {
  const deadlines = new Deadlines<Item>();
  deadlines.add(item(1, 5_500), 5_500);
  expect(deadlines.take(5_999)).toBeUndefined();
  expect(deadlines.take(6_000)?.id).toBe(1);
  expect(deadlines.take(6_000)).toBeUndefined();
});

test("gives out what is due at a whole second at that second", () => {
  const deadlines = new Deadlines<Item>();
  deadlines.add(item(1, 5_000), 5_000);
  expect(deadlines.take(4_999)).toBeUndefined();
  expect(deadlines.take(5_000)?.id).toBe(1);
});

test("takes out what was filed, and nothing for what was not", () => {
  const deadlines = new Deadlines<Item>();
  deadlines.add(item(1, 0), 0);
  deadlines.remove(item(2, 0));
  expect(deadlines.take(0)?.id).toBe(1);
  expect(deadlines.take(Infinity)).toBeUndefined();
});

test("keeps the others that are due in the same second", () => {
  const deadlines = new Deadlines<Item>();
  const items = [1, 2, 3, 4].map((id) => item(id, 500));
  for (const each of items) deadlines.add(each, each.at);
  deadlines.remove(items[0]!);
  const left = [1, 2, 3].map(() => deadlines.take(1_000)?.id);
  expect(new Set(left)).toEqual(new Set([2, 3, 4]));
  expect(deadlines.take(1_000)).toBeUndefined();
});

test("does as a list that is searched would do", () => {
  const time = fc.integer({ min: 1, max: 5_000 });
  const step = fc.oneof(
    fc.record({ do: fc.constant("add" as const), at: time }),
    fc.record({ do: fc.constant("remove" as const), pick: fc.nat() }),
    fc.record({ do: fc.constant("take" as const), now: time }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: "max" }), (steps) => {
      const deadlines = new Deadlines<Item>();
      const filed = new Set<Item>();
      let made = 0;
      for (const next of steps) {
        if (next.do === "add") {
          const added = item(made++, next.at);
          deadlines.add(added, next.at);
          filed.add(added);
        } else if (next.do === "remove") {
          const chosen = [...filed][next.pick % Math.max(1, filed.size)];
          if (chosen === undefined) continue;
          deadlines.remove(chosen);
          deadlines.remove(chosen);
          filed.delete(chosen);
        } else {
          const second = (one: Item): number => Math.ceil(one.at / 1000) * 1000;
          const first = Math.min(...[...filed].map(second));
          const taken = deadlines.take(next.now);
          if (first > next.now) expect(taken).toBeUndefined();
          else {
            expect(taken).toBeDefined();
            expect(second(taken!)).toBe(first);
            expect(filed.delete(taken!)).toBe(true);
            deadlines.remove(taken!);
          }
        }
      }
      const rest = new Set<Item>();
      for (let index = 0; index < made; index += 1) {
        const left = deadlines.take(Infinity);
        if (left !== undefined) rest.add(left);
      }
      expect(rest).toEqual(filed);
      expect(deadlines.take(Infinity)).toBeUndefined();
    }),
  );
});
