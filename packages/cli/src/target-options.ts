import type { Command } from "commander";
import type { SessionOptions } from "./session.js";

/** The options of every command that talks to a server. */
export interface TargetOptions extends SessionOptions {
  readonly header?: string[];
  readonly env?: string[];
}

/** Adds the options that say how to reach a server, and how much to show of it. */
export function withTargetOptions(command: Command): Command {
  return command
    .option("-H, --header <name:value>", "send a header with every request; repeatable", collect)
    .option("-e, --env <name=value>", "set a variable for a started server; repeatable", collect)
    .option("-t, --timeout <seconds>", "how long one request may take (default 60)")
    .option("-v, --verbose", "show each round, progress, and what a started server writes")
    .option("--debug", "on failure, print where it happened (also PARLEY_DEBUG=1)");
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
