import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";
import { runPostgres, runRedis, type Running } from "./run.js";

/*
 * One PostgreSQL and one Redis for the whole test run, started by the first file that asks and
 * stopped by global-setup.ts. Whoever is first makes the folder; the others wait for the address.
 */

const WAITS_MS = 300_000;

/** The run's PostgreSQL. Make a database of your own in it: see `newDatabase`. */
export function sharedPostgres(): Promise<Running> {
  return shared("postgres", runPostgres);
}

/** The run's Redis. Use a key prefix of your own in it, and never flush it. */
export function sharedRedis(): Promise<Running> {
  return shared("redis", (folder, watched) => runRedis(folder, watched));
}

/** The folder for servers of one's own, and the process that they must end with. */
export function serversOf(): { folder: string; watched: number } {
  return inject("servers");
}

async function shared(
  name: string,
  start: (folder: string, watched: number) => Promise<Running>,
): Promise<Running> {
  const { folder, watched } = serversOf();
  const address = path.join(folder, `${name}.json`);
  const failure = path.join(folder, `${name}.failed`);
  if (first(path.join(folder, `${name}.lock`))) {
    try {
      const running = await start(folder, watched);
      writeFileSync(`${address}.new`, JSON.stringify(running));
      renameSync(`${address}.new`, address);
    } catch (error) {
      writeFileSync(failure, String(error));
      throw error;
    }
  }
  const end = Date.now() + WAITS_MS;
  while (!existsSync(address)) {
    if (existsSync(failure)) throw new Error(readFileSync(failure, "utf8"));
    if (Date.now() > end) throw new Error(`${name} was not started in time`);
    await pause(50);
  }
  return JSON.parse(readFileSync(address, "utf8")) as Running;
}

function first(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}
