import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** The command and a server for it, as they were built and as users start them. */
export const PARLEY = fileURLToPath(new URL("../../bin/parley.mjs", import.meta.url));
export const FIXTURE = fileURLToPath(new URL("fixture-server.mjs", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command without a terminal. `meanwhile` gets its process. */
export async function parley(
  args: readonly string[],
  env: Record<string, string> = {},
  meanwhile?: (child: ChildProcess) => void,
): Promise<Ended> {
  const child = spawn(process.execPath, [PARLEY, ...args], {
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  meanwhile?.(child);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Starts the fixture over HTTP. */
export async function serveFixture(): Promise<{ url: string; stop: () => void }> {
  const child = spawn(process.execPath, [FIXTURE, "--http"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const url of createInterface({ input: child.stdout })) {
    return { url, stop: () => void child.kill() };
  }
  throw new Error("The fixture ended before it served");
}
