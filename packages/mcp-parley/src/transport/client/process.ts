import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "../../client/clock.js";
import { ParleyError } from "../../protocol/errors.js";
import { serverEnvironment } from "./environment.js";

/** A server that is started as a process. */
export interface StdioServer {
  /** The program: a path, or a name found on `PATH`. No shell is involved. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Where it runs; default: where this process does. */
  readonly cwd?: string | undefined;
  /**
   * Variables it gets besides a small safe set (such as `PATH` and `HOME`). Nothing else of this
   * process's environment is passed on.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What becomes of its standard error: shown on this process's (the default), dropped, or handed over as text. */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
}

/** One run of a server's process. */
export interface ServerProcess {
  /** Writes one line. */
  write(text: string): void;
  /** Asks the process to end, then makes it. Resolves once it is gone. */
  stop(): Promise<void>;
}

/** How long a server may take to end once its input is closed, and again once it has been told to, in ms. */
export const GRACE = 2_000;

/**
 * Starts a server. `onOutput` takes what it writes; `onOver` is called once, when nothing more will
 * come: it ended, or never started.
 * Specification: basic/transports/stdio, Shutdown.
 */
export function startServer(
  server: StdioServer,
  onOutput: (chunk: Uint8Array) => void,
  onOver: (error: ParleyError) => void,
  clock: Clock,
): ServerProcess {
  const { stderr = "inherit" } = server;
  let child: ChildProcess;
  try {
    child = spawn(server.command, [...(server.args ?? [])], {
      cwd: server.cwd,
      env: serverEnvironment(server.env),
      stdio: ["pipe", "pipe", typeof stderr === "string" ? stderr : "pipe"],
      shell: false,
      windowsHide: true,
    });
  } catch (cause) {
    throw notStarted(server, cause);
  }

  let isOver = false;
  const over = (error: ParleyError): void => {
    if (isOver) return;
    isOver = true;
    onOver(error);
  };
  child.on("error", (cause) => over(notStarted(server, cause)));
  child.on("close", (code, signal) => over(ended(server, signal ?? code)));
  child.stdout?.on("data", onOutput);
  child.stdin?.on("error", () => undefined); // a closed pipe: the process is ending, and "close" says so
  if (typeof stderr === "function") {
    child.stderr?.setEncoding("utf8");
    child.stderr?.on("data", stderr);
  }

  return {
    write(text) {
      child.stdin?.write(`${text}\n`);
    },
    stop: () => stop(child, clock),
  };
}

function stop(child: ChildProcess, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    let takeBack = clock.after(GRACE, () => {
      child.kill("SIGTERM");
      takeBack = clock.after(GRACE, () => child.kill("SIGKILL"));
    });
    child.once("exit", () => {
      takeBack();
      // What it started may still hold the pipe; nobody listens to that any more.
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve();
    });
    child.stdin?.end();
  });
}

function notStarted({ command }: StdioServer, cause: unknown): ParleyError {
  const why = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new ParleyError(
    "transport_failed",
    `Could not start "${command}" (${why}): check that it is installed and on PATH.`,
    { cause },
  );
}

function ended({ command }: StdioServer, how: number | string | null): ParleyError {
  return new ParleyError(
    "transport_failed",
    `"${command}" ended (${how ?? "unknown"}). What it was doing for this client is lost; the next request starts it again.`,
  );
}
