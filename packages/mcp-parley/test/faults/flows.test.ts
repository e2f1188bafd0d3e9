import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { newKeyText } from "../../src/state/key-text.js";
import { migratePostgres } from "../../src/store/postgres-migrate.js";
import { accept, request } from "../support/caller.js";
import { headersOf, type Wire } from "../support/hosts.js";
import { newDatabase } from "../support/servers/databases.js";
import { runRedis, stopServer } from "../support/servers/run.js";
import { serversOf } from "../support/servers/shared.js";
import type { StoreAddress } from "./hammer.js";

/*
 * Whole flows over three server processes that share a key and a store: every request reaches two
 * of them at once, a malformed answer comes before each right one, and each process is killed
 * inside its first effect. The effect can be recovered by asking the provider.
 */

const FLOWS = 6;
const TIMEOUT_MS = 120_000;

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

class Shop {
  readonly world: string;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "parley-flows-"));
  readonly #store: StoreAddress;
  readonly #key = newKeyText();
  readonly #instances = new Map<ChildProcess, string>();
  killed = 0;

  constructor(store: StoreAddress) {
    this.#store = store;
    this.world = path.join(this.#folder, "world");
    writeFileSync(this.world, "");
    ends.push(() => {
      for (const instance of this.#instances.keys()) instance.kill("SIGKILL");
      rmSync(this.#folder, { recursive: true });
    });
  }

  /** Starts an instance, and another in its place when it is killed. */
  async start(dies?: number): Promise<void> {
    const plan = JSON.stringify({ store: this.#store, world: this.world, dies });
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
      if (!expected || dies === undefined) return;
      this.killed += 1;
      void this.start();
    });
  }

  /** Sends the same to two instances at once, and gives what came back. */
  async twice(params: Wire, first: number): Promise<Wire[]> {
    const urls = [...this.#instances.values()];
    const answers = await Promise.all(
      [0, 1].map((next) => this.#post(urls[(first + next) % urls.length] ?? "", params)),
    );
    return answers.filter((answer) => answer !== undefined);
  }

  async everywhere(params: Wire): Promise<Wire[]> {
    const urls = [...this.#instances.values()];
    const answers = await Promise.all(urls.map((url) => this.#post(url, params)));
    return answers.filter((answer) => answer !== undefined);
  }

  charges(): { idempotencyKey: string; amount: number }[] {
    const lines = readFileSync(this.world, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as { idempotencyKey: string; amount: number });
  }

  /** The response, or undefined if its instance was killed meanwhile. */
  async #post(url: string, params: Wire): Promise<Wire | undefined> {
    const message = request("tools/call", params);
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
}

const resultOf = (response: Wire): Wire | undefined => response["result"] as Wire | undefined;
const questionsOf = (result: Wire): string[] => Object.keys(result["inputRequests"] ?? {});

/** Plays one flow to its end; gives its last request and the bytes that everyone got for it. */
async function play(shop: Shop, flow: number): Promise<{ last: Wire; bytes: string }> {
  const answers: Wire = { amount: accept({ amount: 100 + flow }), sure: accept({}) };
  let params: Wire = { name: "pay", arguments: {} };
  for (let turn = 0; turn < 600; turn += 1) {
    const results = (await shop.twice(params, flow + turn)).flatMap((answer) => {
      if (answer["error"] !== undefined) throw new Error(JSON.stringify(answer["error"]));
      const result = resultOf(answer);
      return result === undefined ? [] : [result];
    });
    const complete = results.filter((result) => result["resultType"] === "complete");
    const bytes = new Set(complete.map((result) => JSON.stringify(result)));
    if (bytes.size > 1) throw new Error(`Two results: ${[...bytes].join(" | ")}`);
    const [only] = bytes;
    if (only !== undefined) return { last: params, bytes: only };

    // Both may have come from different moments of one round; the one that asks is further.
    const next = results.find((result) => questionsOf(result).length > 0) ?? results[0];
    if (next === undefined) {
      // All that were asked are gone: their successors are on the way.
      await pause(100);
      continue;
    }
    const { requestState } = next;
    const asked = questionsOf(next);
    const state = { name: "pay", arguments: {}, requestState };
    if (asked.length > 0) {
      const malformed = Object.fromEntries(asked.map((key) => [key, { action: "perhaps" }]));
      for (const answer of await shop.twice({ ...state, inputResponses: malformed }, flow)) {
        expect(answer["error"]).toMatchObject({ code: -32602 });
      }
    }
    const inputResponses = Object.fromEntries(asked.map((key) => [key, answers[key]]));
    params = asked.length > 0 ? { ...state, inputResponses } : state;
  }
  throw new Error("A flow that does not end");
}

async function prove(store: StoreAddress): Promise<void> {
  const shop = new Shop(store);
  await Promise.all([shop.start(1), shop.start(1), shop.start(1)]);
  const played = await Promise.all(Array.from({ length: FLOWS }, (_, flow) => play(shop, flow)));

  const charges = shop.charges();
  expect(charges.map(({ amount }) => amount).sort()).toEqual(
    Array.from({ length: FLOWS }, (_, flow) => 100 + flow),
  );
  // Whoever charged first was killed in it; the others may not have come to charge.
  expect(shop.killed).toBeGreaterThanOrEqual(1);
  for (const [flow, { last, bytes }] of played.entries()) {
    const { idempotencyKey } = charges.find(({ amount }) => amount === 100 + flow) ?? {};
    expect(bytes).toContain(`Paid ${100 + flow}, receipt ${String(idempotencyKey)}`);
    const again = (await shop.everywhere(last)).map((answer) => JSON.stringify(resultOf(answer)));
    expect(new Set(again)).toEqual(new Set([bytes]));
  }
  expect(shop.charges()).toHaveLength(FLOWS);
}

test.concurrent(
  "over PostgreSQL every flow ends with one effect and one result",
  { timeout: TIMEOUT_MS },
  async () => {
    const url = await newDatabase();
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    ends.push(() => pool.end());
    await migratePostgres(pool);
    await prove({ kind: "postgres", url });
  },
);

test.concurrent(
  "over Redis every flow ends with one effect and one result",
  { timeout: TIMEOUT_MS },
  async () => {
    const { folder, watched } = serversOf();
    const server = await runRedis(folder, watched);
    ends.push(() => stopServer(server));
    await prove({ kind: "redis", url: server.url });
  },
);
