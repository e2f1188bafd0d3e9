import { execFileSync } from "node:child_process";
import path from "node:path";

/** How a measurement in a process of its own is run. */
export interface ChildOptions {
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
  /** The one processor it may use; undefined: all. */
  readonly pinnedTo?: number;
  readonly args?: readonly string[];
}

/** Runs a script of this folder in a process of its own and gives the JSON that it printed last. */
export function measuredIn(script: string, options: ChildOptions = {}): unknown {
  const { node = [], pinnedTo, args = [] } = options;
  const command = [process.execPath, ...node, path.join(import.meta.dirname, script), ...args];
  const [program = "", ...rest] =
    pinnedTo === undefined ? command : ["taskset", "-c", String(pinnedTo), ...command];
  const said = execFileSync(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(said.toString().trim().split("\n").at(-1) ?? "") as unknown;
}

/** Whether a process can be kept to one processor here. */
export function canPin(): boolean {
  try {
    execFileSync("taskset", ["-c", "0", process.execPath, "-e", ""], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
