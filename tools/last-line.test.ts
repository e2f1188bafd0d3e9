import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");

function vitest(...fixtures: string[]): { lastLine: string | undefined; status: number | null } {
  const command = path.join(root, "node_modules/vitest/vitest.mjs");
  const config = ["--root", root, "--config", "tools/fixtures/vitest.config.ts"];
  const { stdout, status } = spawnSync(process.execPath, [command, "run", ...config, ...fixtures], {
    cwd: root,
    encoding: "utf8",
  });
  return { lastLine: stdout.trimEnd().split("\n").at(-1), status };
}

test.each([
  [["passes"], "1 passed, 0 failed", 0],
  [["passes", "skips"], "1 passed, 0 failed, 1 skipped", 0],
  [["passes", "fails"], "1 passed, 1 failed", 1],
  [["passes", "breaks"], "1 passed, 1 failed", 1],
  [["rejects"], "1 passed, 1 failed", 1],
  [["skips"], "0 passed, 0 failed, 1 skipped", 1],
  [["no-such-file"], "0 passed, 0 failed", 1],
] as const)("a run of %j ends with %j and %i", (fixtures, lastLine, status) => {
  expect(vitest(...fixtures)).toEqual({ lastLine, status });
});
