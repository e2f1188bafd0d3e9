import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { newKeyText } from "../../src/state/key-text.js";
import { ALL_CAPABILITIES, request } from "../support/caller.js";
import { headersOf, type Wire } from "../support/hosts.js";
import type { StoreAddress } from "./hammer.js";
import { resumeStopped } from "./stopped.js";

/** What befalls an instance the nth time that it comes to a point. */
export interface InstanceFault {
  readonly point: "inside the round" | "inside the effect";
  readonly visit: number;
  readonly signal: "SIGKILL" | "SIGSTOP";
}

/** Three of the instances' leases: longer than anyone waits for a silent one. */
const STOPPED_FOR_MS = 4_500;

/** Instances of flow-instance.mjs that share a key, a store and a world. */
export class Shop {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "parley-flows-"));
  readonly #world = path.join(this.#folder, "world");
  readonly #store: StoreAddress;
  readonly #key = newKeyText();
  readonly #instances = new Map<ChildProcess, string>();
  readonly #stopped = new Map<ChildProcess, number>();
  #closed = false;
  killed = 0;
  stops = 0;
  readonly #watch = setInterval(
    () => (this.stops += resumeStopped(this.#instances.keys(), this.#stopped, STOPPED_FOR_MS)),
    25,
  );

  constructor(store: StoreAddress) {
    this.#store = store;
    writeFileSync(this.#world, "");
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#watch);
    for (const instance of this.#instances.keys()) instance.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true });
  }

  /** Starts an instance, and another without faults in its place when it is killed. */
  async start(faults: readonly InstanceFault[] = []): Promise<void> {
    const plan = JSON.stringify({ store: this.#store, world: this.#world, faults });
    const instance = spawn(
      process.execPath,
      [path.join(import.meta.dirname, "flow-instance.mjs"), plan],
      { env: { ...process.env, PARLEY_KEYS: this.#key }, stdio: ["ignore", "pipe", "inherit"] },
    );
    const url = await new Promise<string>((resolve, reject) => {
      instance.stdout.once("data", (line) => resolve(String(line).trim()));
      instance.once("exit", () => reject(new Error("An instance did not start")));
    });
    this.#instances.set(instance, url);
    instance.once("exit", (_code, signal) => {
      const expected = this.#instances.delete(instance) && signal === "SIGKILL";
      if (!expected || faults.length === 0 || this.#closed) return;
      this.killed += 1;
      void this.start();
    });
  }

  /** Sends the same to so many instances at once, and gives what came back. */
  async send(
    params: Wire,
    first: number,
    copies: number,
    capabilities: Wire = ALL_CAPABILITIES,
  ): Promise<Wire[]> {
    const urls = [...this.#instances.values()];
    const answers = await Promise.all(
      Array.from({ length: copies }, (_, next) =>
        post(urls[(first + next) % urls.length] ?? "", params, capabilities),
      ),
    );
    return answers.filter((answer) => answer !== undefined);
  }

  everywhere(params: Wire): Promise<Wire[]> {
    return this.send(params, 0, this.#instances.size);
  }

  /** What happened, as the instances wrote it down. */
  world<T>(): T[] {
    const lines = readFileSync(this.#world, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as T);
  }
}

/** The response, or undefined if its instance was killed meanwhile. */
async function post(url: string, params: Wire, capabilities: Wire): Promise<Wire | undefined> {
  const message = request("tools/call", params, capabilities);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: headersOf(message, undefined),
      body: JSON.stringify(message),
    });
    return (await response.json()) as Wire;
  } catch {
    return undefined;
  }
}

export const resultOf = (response: Wire): Wire | undefined =>
  response["result"] as Wire | undefined;
export const questionsOf = (result: Wire): string[] => Object.keys(result["inputRequests"] ?? {});
