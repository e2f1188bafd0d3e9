import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { exitCodeSaid } from "./fixtures/exit-line.js";
import { type Verdict, judge } from "./judge.js";
import { type Finished, runNode } from "./processes.js";
import { type Leg, REVISION } from "./scenarios.js";

const packageRoot = (folder: string): string =>
  existsSync(path.join(folder, "package.json")) ? folder : packageRoot(path.dirname(folder));

/** The repository's root, from the sources as from their build. */
export const ROOT = packageRoot(import.meta.dirname);

const REFEREE = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/conformance/dist/index.js",
);
const SCENARIO_TIMEOUT_MS = 60_000;
/** For one client among all of them, which start at once. */
const CLIENT_TIMEOUT_MS = 150_000;
const RUN_TIMEOUT_MS = 240_000;

/** A scenario, and what it came to. */
export interface Judged extends Verdict {
  readonly leg: Leg;
  readonly scenario: string;
}

/**
 * Judges a server by these scenarios. The referee plays all that the revision requires, one after
 * another in one process; its exit code speaks for all of them together and is not asked.
 */
export async function judgeServer(url: string, scenarios: readonly string[]): Promise<Judged[]> {
  return inTemporaryFolder(async (folder) => {
    const args = ["server", "--url", url, "--requirements", REVISION, "-o", folder];
    const { output } = await referee(args, RUN_TIMEOUT_MS);
    return scenarios.map((scenario) => {
      const checks = readChecks(folder, `server-${scenario}`);
      return judged("server", scenario, judge({ checks, exitCode: undefined }), output);
    });
  });
}

/** Judges a server by one scenario in a run of its own. */
export async function judgeServerScenario(url: string, scenario: string): Promise<Judged> {
  return inTemporaryFolder(async (folder) => {
    const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", REVISION];
    const { exitCode, output } = await referee([...args, "-o", folder], SCENARIO_TIMEOUT_MS);
    const checks = readChecks(folder, `server-${scenario}`);
    return judged("server", scenario, judge({ checks, exitCode }), output);
  });
}

/**
 * Judges a client, a script that `node` runs, by these scenarios. The referee plays all that the
 * revision requires, and more, at the same time (one scenario alone, where it is one); it does not look at the client's exit codes there,
 * so the client has to say them (fixtures/exit-line.ts).
 *
 * @param script relative to the repository's root, without spaces: the referee splits at them.
 */
export async function judgeClient(script: string, scenarios: readonly string[]): Promise<Judged[]> {
  return inTemporaryFolder(async (folder) => {
    // `exec`, so that the referee's time-out ends the client and not only the shell around it; `nice`,
    // so that dozens of clients do not starve their servers, which all live in the referee: one that
    // wakes after 5 s hangs up on connections with requests in them.
    const [only, ...others] = scenarios;
    const which =
      only !== undefined && others.length === 0
        ? ["--scenario", only, "--spec-version", REVISION]
        : ["--requirements", REVISION];
    const args = ["client", "--command", `exec nice -n 10 node ${script}`, ...which];
    const limit = ["--timeout", String(CLIENT_TIMEOUT_MS), "-o", folder];
    const { output } = await referee([...args, ...limit], RUN_TIMEOUT_MS);
    return scenarios.map((scenario) => {
      const left = folderOf(folder, scenario);
      const exitCode = exitCodeIn(left);
      const said = textIn(left, "stderr.txt") ?? output;
      const verdict = judge({ checks: readChecks(folder, scenario), exitCode });
      return judged("client", scenario, verdict, said);
    });
  });
}

/** A client that was ended from outside said nothing. */
function exitCodeIn(folder: string | undefined): number {
  return exitCodeSaid(textIn(folder, "stdout.txt") ?? "") ?? 1;
}

function referee(args: readonly string[], timeoutMs: number): Promise<Finished> {
  const shim = path.join(ROOT, "conformance/preload.mjs");
  return runNode(["--import", shim, REFEREE, ...args], ROOT, timeoutMs);
}

/** The checks in `<prefix>-<time>/checks.json`, or undefined where there are none. */
function readChecks(folder: string, prefix: string): unknown {
  const text = textIn(folderOf(folder, prefix), "checks.json");
  return text === undefined ? undefined : JSON.parse(text);
}

/** The folder `<prefix>-<time>`, or undefined where there is none. */
function folderOf(folder: string, prefix: string): string | undefined {
  const isOurs = (name: string): boolean =>
    name.startsWith(`${prefix}-`) && /^\d{4}-[\dTZ-]+$/.test(name.slice(prefix.length + 1));
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find(isOurs);
  return found === undefined ? undefined : path.join(folder, found);
}

function textIn(folder: string | undefined, name: string): string | undefined {
  const file = folder === undefined ? undefined : path.join(folder, name);
  return file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** A scenario that failed is explained by the end of what was written meanwhile. */
function judged(leg: Leg, scenario: string, verdict: Verdict, output: string): Judged {
  const problems =
    verdict.problems.length > 0
      ? [...verdict.problems, output.trim().split("\n").slice(-10).join("\n")]
      : verdict.problems;
  return { leg, scenario, ...verdict, problems };
}

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-conformance-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
