import { execFileSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Counts } from "./counts.js";

/*
 * A guard on counts rather than on time: they are the same on every machine, and one that grows is
 * a cost that nobody may have meant. One that shrinks is to be written down here.
 */

const ROOM = ["--min-semi-space-size=256", "--max-semi-space-size=256"];

function countsWith(otherTools: number): Counts {
  const script = path.join(import.meta.dirname, "dist/counts.js");
  const env = { ...process.env, BENCH_TOOLS: String(otherTools), NODE_OPTIONS: "" };
  return JSON.parse(
    execFileSync(process.execPath, [...ROOM, script], { env }).toString(),
  ) as Counts;
}

describe("a two-round flow", () => {
  const { allocated, promises, ...counts } = countsWith(0);

  test("takes so many passes of JSON, ciphers, digests and timers", () => {
    expect(counts).toEqual({
      // Two requests and a response by whoever plays it, and the state.
      jsonParsed: 4,
      // Two requests by whoever plays it, the state, and ids, errors and results as they are.
      jsonWritten: 7,
      ciphers: 2,
      // Two requests, the answers, and the claim's row; the question has its own from before.
      digests: 4,
      // For a handler that does not come to an end once it has asked.
      timers: 1,
    });
  });

  test("makes no more promises than it did", () => {
    expect(Math.round(promises)).toBeLessThanOrEqual(37);
  });

  test("allocates no more than it did", () => {
    expect(allocated).toBeLessThan(ALLOCATED_KIB * 1.05);
    expect(allocated).toBeGreaterThan(ALLOCATED_KIB * 0.8);
  });

  test("takes the same with 500 other tools", () => {
    const crowded = countsWith(500);
    expect(crowded).toMatchObject({ ...counts, promises });
    expect(crowded.allocated / allocated).toBeLessThan(1.02);
  });
});

/** Measured with Node 20; other versions of V8 may differ by a little. */
const ALLOCATED_KIB = 52;
