/*
 * The verdict on one scenario, stricter than the referee's own summary and exit code. A scenario
 * passes when
 *  1. it left checks behind,
 *  2. none of them is anything but SUCCESS, INFO or SKIPPED: a warning is a failure,
 *  3. at least one SUCCESS says something of us: the wire check also counts the referee's own
 *     messages, and so succeeds against a server that is not there,
 *  4. the command it was run by, where the scenario had one of its own, exited with 0.
 */

/** What the judge reads of one entry of the referee's checks.json. */
export interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** What a run of the referee left behind for one scenario. */
export interface Evidence {
  /** The parsed checks.json; undefined where there is none. */
  readonly checks: unknown;
  /** The exit code of the scenario's own run; undefined where it shared a run with others. */
  readonly exitCode: number | undefined;
}

/** The judgement on one scenario: it has passed when it has no problems. */
export interface Verdict {
  readonly passed: number;
  readonly problems: readonly string[];
}

const HARMLESS: ReadonlySet<string> = new Set(["SUCCESS", "INFO", "SKIPPED"]);
const WIRE_CHECK = "wire-schema-valid";

/** Judges one scenario by the rules above. */
export function judge({ checks, exitCode }: Evidence): Verdict {
  const problems = exitCode === undefined || exitCode === 0 ? [] : [`exited with ${exitCode}`];
  if (!isChecks(checks)) return { passed: 0, problems: [...problems, "left no readable checks"] };

  for (const { id, status, errorMessage } of checks) {
    if (HARMLESS.has(status)) continue;
    problems.push([status, id, errorMessage].filter(Boolean).join(" "));
  }
  const successes = checks.filter(({ status }) => status === "SUCCESS");
  if (!successes.some(({ id }) => id !== WIRE_CHECK))
    problems.push("no check of substance succeeded");
  return { passed: successes.length, problems };
}

function isChecks(value: unknown): value is readonly Check[] {
  return Array.isArray(value) && value.every(isCheck);
}

function isCheck(value: unknown): value is Check {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "status" in value &&
    typeof value.status === "string"
  );
}
