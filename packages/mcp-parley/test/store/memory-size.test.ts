import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createLedger } from "../../src/ledger/create.js";
import { memoryStore } from "../../src/store/memory.js";
import { at } from "../ledger/bench.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Memory in use once there is no garbage, in bytes. */
function used(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test("a spent mark takes some 300 bytes, and the estimate is close to that", () => {
  const store = memoryStore();
  const ledger = createLedger({ store });
  const fingerprint = "f".repeat(43);
  const marks = 100_000;
  const before = used();
  for (let index = 0; index < marks; index += 1) {
    const options = { notAfter: Date.now() + 600_000, lease: 1, effect: false, holder: "one" };
    at("fresh", ledger.claim(`id ${index}`, fingerprint, options)).hold.settle("outcome", 0);
  }
  const each = (used() - before) / marks;
  expect(store.rows).toBe(marks);
  expect(each).toBeLessThan(400);
  const estimated = store.bytes / marks;
  expect(estimated / each).toBeGreaterThan(0.8);
  expect(estimated / each).toBeLessThan(1.4);
});
