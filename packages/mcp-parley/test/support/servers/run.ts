import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { postgresPrograms, redisProgram, unprivileged } from "./programs.js";

/** A server that runs. */
export interface Running {
  readonly url: string;
  readonly port: number;
  /** The process that keeps it: told to stop, it stops the server. */
  readonly keeper: number;
  /** The server itself. */
  readonly pid: number;
  /** Its folder. */
  readonly home: string;
}

const STARTS_WITHIN_MS = 60_000;

/** Starts PostgreSQL in a new folder inside `folder`; it ends with the process `watched`. */
export async function runPostgres(folder: string, watched: number): Promise<Running> {
  const programs = postgresPrograms();
  const who = unprivileged();
  const home = newFolder(folder, "postgres-", who);
  const data = path.join(home, "data");
  execFileSync(
    path.join(programs, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...who, cwd: home, stdio: "ignore" },
  );
  const port = await freePort();
  const settings = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: home,
    // The machine doesn't fail here, only processes do.
    fsync: "off",
    max_connections: "200",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const keeper = await run(path.join(programs, "postgres"), ["-D", data, ...args], {
    home,
    stop: "SIGINT",
    ready: "database system is ready to accept connections",
    watched,
    who,
  });
  const pid = Number(readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, port, keeper, pid, home };
}

/** Starts Redis on `port`, or a free one, in a new folder inside `folder`. */
export async function runRedis(
  folder: string,
  watched: number,
  settings: Readonly<Record<string, string>> = {},
  port?: number,
): Promise<Running> {
  const program = redisProgram();
  const home = newFolder(folder, "redis-");
  const chosen = port ?? (await freePort());
  const all = {
    port: String(chosen),
    bind: "127.0.0.1",
    dir: home,
    pidfile: path.join(home, "pid"),
    daemonize: "no",
    save: "",
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const keeper = await run(program, args, {
    home,
    stop: "SIGTERM",
    ready: "Ready to accept connections",
    watched,
  });
  const pid = Number(readFileSync(path.join(home, "pid"), "utf8"));
  return { url: `redis://127.0.0.1:${chosen}`, port: chosen, keeper, pid, home };
}

/** Stops a server and waits until it is gone. */
export async function stopServer(server: Pick<Running, "keeper">): Promise<void> {
  signal(server.keeper, "SIGTERM");
  const end = Date.now() + 10_000;
  while (signal(server.keeper, 0) && Date.now() < end) await pause(20);
}

/** Sends a signal to a process that we started; false if there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

function newFolder(folder: string, prefix: string, who?: { uid: number; gid: number }): string {
  mkdirSync(folder, { recursive: true });
  if (who !== undefined) chmodSync(folder, 0o755);
  const home = mkdtempSync(path.join(folder, prefix));
  if (who !== undefined) chownSync(home, who.uid, who.gid);
  return home;
}

/** A port that nobody listens at now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface How {
  readonly home: string;
  readonly stop: NodeJS.Signals;
  /** What its log says once it can be used. */
  readonly ready: string;
  readonly watched: number;
  readonly who?: { uid: number; gid: number } | undefined;
}

async function run(command: string, args: string[], how: How): Promise<number> {
  const log = path.join(how.home, "log");
  const task = JSON.stringify({ command, args, ...how.who, stop: how.stop, log });
  const keeper = spawn(
    process.execPath,
    [path.join(import.meta.dirname, "keeper.mjs"), String(how.watched), task],
    { cwd: how.home, detached: true, stdio: "ignore" },
  );
  keeper.unref();
  const end = Date.now() + STARTS_WITHIN_MS;
  for (;;) {
    const said = existsSync(log) ? readFileSync(log, "utf8") : "";
    if (said.includes(how.ready) && keeper.pid !== undefined) return keeper.pid;
    if (keeper.exitCode !== null || Date.now() > end)
      throw new Error(`${command} did not start:\n${said}`);
    await pause(20);
  }
}
