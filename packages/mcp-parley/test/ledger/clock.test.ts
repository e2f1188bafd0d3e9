import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/ledger/clock.js";

/** Timers that keep this process from ending. */
const kept = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

describe("a timer of the machine's own clock", () => {
  test("keeps the process alive if it is told to, until it is called off", () => {
    const before = kept();
    const callOff = systemClock.after(60_000, () => undefined, true);
    expect(kept()).toBe(before + 1);
    callOff();
    expect(kept()).toBe(before);
  });

  test("lets the process end otherwise", () => {
    const before = kept();
    const callOff = systemClock.after(60_000, () => undefined, false);
    expect(kept()).toBe(before);
    callOff();
  });
});
