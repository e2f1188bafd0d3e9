import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Usage } from "./servers/measured.js";

/** One server under measurement, in a process of its own. */
export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${String(port)}/mcp`;
  }

  static async start(
    name: string,
    env: Record<string, string>,
    execArgv: string[] = [],
  ): Promise<ServerProcess> {
    const file = path.join(import.meta.dirname, "servers", `${name}.js`);
    const child = fork(file, { env: { ...process.env, ...env }, execArgv });
    const { port } = await told<{ port: number }>(child);
    return new ServerProcess(child, port);
  }

  async usage(): Promise<Usage> {
    const answer = told<{ usage: Usage }>(this.#child);
    this.#child.send("usage");
    return (await answer).usage;
  }

  stop(): void {
    this.#child.disconnect();
  }

  /** Stops it and waits until it has ended. */
  async stopped(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.stop();
    await ended;
  }
}

function told<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`ended with ${String(code)}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as T);
    });
  });
}
