import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What a finished process left: its exit code (1 if it was killed) and all it wrote. */
export interface Finished {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs `node` with these arguments to its end, and ends it and all it started after `timeoutMs`. */
export async function runNode(
  args: readonly string[],
  cwd: string,
  timeoutMs: number,
): Promise<Finished> {
  const child = startNode(args, cwd);
  const timer = setTimeout(() => {
    endGroup(child);
  }, timeoutMs);
  const output = collectOutput(child);
  const [exitCode] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { exitCode: exitCode ?? 1, output: output() };
}

/** A server process of ours and the way to end it. */
export interface ServerProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts `node <script> --port <a free one>` and waits until it takes connections.
 *
 * @throws Error with what the process wrote, when it ends or `timeoutMs` passes before that.
 */
export async function startServer(
  script: string,
  cwd: string,
  timeoutMs = 15_000,
): Promise<ServerProcess> {
  const port = await freePort();
  const child = startNode([script, "--port", String(port)], cwd);
  const output = collectOutput(child);
  const ended = once(child, "close");
  const stop = async (): Promise<void> => {
    endGroup(child);
    await ended;
  };

  const deadline = Date.now() + timeoutMs;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${script} did not start listening on port ${port}:\n${output()}`);
    }
    await sleep(20);
  }
  return { url: `http://127.0.0.1:${port}/mcp`, stop };
}

/** In a process group of its own, so that what it starts can be ended with it. */
function startNode(args: readonly string[], cwd: string): ChildProcess {
  return spawn(process.execPath, args, {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, "SIGKILL");
}

function collectOutput(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port to be had");
  return address.port;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
