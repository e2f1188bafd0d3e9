import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

test("without a terminal the demo answers by itself, and counts what happened", async () => {
  const demo = fileURLToPath(new URL("dist/demo.js", import.meta.url));
  const { stdout, stderr } = await run(process.execPath, [demo]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.at(-1)).toBe("3 rounds, 3 instances, 1 killed, 1 effect");
  expect(stdout).toContain("Published 2.0.0 on beta.");
  expect(stderr).toBe("");

  const rounds = lines.flatMap((line) => /round (\d) {2}instance (\w)/.exec(line)?.slice(1) ?? []);
  expect(rounds.filter((_, at) => at % 2 === 0)).toEqual(["1", "2", "3"]);
  expect(new Set(rounds.filter((_, at) => at % 2 === 1)).size).toBe(3);

  // Nothing it started is left.
  const pids = [...stdout.matchAll(/process (\d+), port/g)].map(([, pid]) => Number(pid));
  expect(pids).toHaveLength(3);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("over a bad network, with an instance killed inside the effect, there is one effect", async () => {
  const demo = fileURLToPath(new URL("dist/demo.js", import.meta.url));
  const { stdout, stderr } = await run(process.execPath, [demo, "--lossy"]);
  expect(stdout.trimEnd()).toMatch(/\d+ rounds, [23] instances, 1 killed, 1 effect$/);
  expect(stdout).toContain("killed inside the effect");
  expect(stdout).toContain("Published 2.0.0 on beta.");
  expect(stdout).toMatch(/\d+ deliveries, [1-9]\d* answers lost/);
  expect(stderr).toBe("");
}, 60_000);
