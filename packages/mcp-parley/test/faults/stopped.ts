import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Lets those go on that have been stopped for so many ms; `since` remembers from when. Gives how
 * many those were.
 */
export function resumeStopped(
  running: Iterable<ChildProcess>,
  since: Map<ChildProcess, number>,
  ms: number,
): number {
  let resumed = 0;
  for (const worker of running) {
    if (!isStopped(worker)) continue;
    const stopped = since.get(worker);
    if (stopped === undefined) since.set(worker, Date.now());
    else if (Date.now() - stopped >= ms) {
      since.delete(worker);
      worker.kill("SIGCONT");
      resumed += 1;
    }
  }
  return resumed;
}

/** Whether the system says that a process is stopped; elsewhere than on Linux, now and then. */
function isStopped({ pid }: ChildProcess): boolean {
  if (pid === undefined) return false;
  try {
    return /^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}
