import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { Register } from "../../src/ledger/register.js";
import { memoryStore } from "../../src/store/memory.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const hold = { row: "a", fingerprint: "same" };

test("is one for each store", () => {
  const store = memoryStore();
  expect(Register.of(store)).toBe(Register.of(store));
  expect(Register.of(store)).not.toBe(Register.of(memoryStore()));
});

test("wakes who waits once, and nobody who has called it off", () => {
  const register = Register.of(memoryStore());
  const [waits, gone] = [vi.fn(), vi.fn()];
  register.wait("a", waits);
  register.wait("a", gone)();
  register.leave(hold);
  register.leave(hold);
  expect(waits).toHaveBeenCalledTimes(1);
  expect(gone).not.toHaveBeenCalled();
});

test("wakes who waits since, though one who was woken calls it off late", () => {
  const register = Register.of(memoryStore());
  const callOff = register.wait("a", () => undefined);
  register.leave(hold);
  const since = vi.fn();
  register.wait("a", since);
  callOff();
  register.leave(hold);
  expect(since).toHaveBeenCalledTimes(1);
});

test("keeps nothing of who waited and went", () => {
  const register = Register.of(memoryStore());
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  for (let index = 0; index < 50_000; index += 1) register.wait(`row ${index}`, () => index)();
  expect(used() - before).toBeLessThan(4_000_000);
  expect(register.holder("a")).toBeUndefined();
});
