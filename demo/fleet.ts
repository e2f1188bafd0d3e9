import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What an instance says once it serves. */
export interface Hello {
  readonly port: number;
}

/** One running instance. */
export interface Instance {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** True once its process has ended by SIGKILL. */
  wasKilled(): boolean;
  /** Ends it at once, as a crash or a lost machine would; resolves when it is gone. */
  kill(): Promise<void>;
  /** Ends it in peace. */
  stop(): Promise<void>;
}

/** Starts one process per name; every one of them gets the same environment. */
export async function startFleet(
  names: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Instance[]> {
  return Promise.all(names.map(async (name) => start(name, env)));
}

async function start(name: string, env: Readonly<Record<string, string>>): Promise<Instance> {
  const file = fileURLToPath(new URL("./instance.js", import.meta.url));
  const child = fork(file, { env: { ...process.env, ...env } });
  const ended = once(child, "exit");
  const early = ended.then(([code]) => {
    throw new Error(`Instance ${name} ended before it served (${String(code)})`);
  });
  const [hello] = (await Promise.race([once(child, "message"), early])) as [Hello];
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (isAlive()) child.kill(signal);
    await ended;
  };
  return {
    name,
    port: hello.port,
    pid: pidOf(child),
    wasKilled: () => child.signalCode === "SIGKILL",
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("The process has no id");
  return pid;
}
