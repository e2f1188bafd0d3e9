import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import path from "node:path";

/** The repository's root. */
export const ROOT = path.join(import.meta.dirname, "../../../..");

/** An example as the build leaves it. */
export const example = (name: string): string => path.join(ROOT, "examples/dist", `${name}.js`);

/** A server that runs in a process of its own. */
export interface HttpProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a script on a free port and waits until it says where it serves. */
export async function startHttp(script: string): Promise<HttpProcess> {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const over = once(child, "close");
  const written: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    written.push(line);
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url === undefined || !line.startsWith("Serving")) continue;
    child.stderr.resume();
    return {
      url,
      async stop() {
        child.kill();
        await over;
      },
    };
  }
  throw new Error(`${script} ended before it served:\n${written.join("\n")}`);
}
