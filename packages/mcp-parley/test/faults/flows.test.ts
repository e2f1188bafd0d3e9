import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { accept } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import type { StoreAddress } from "./hammer.js";
import { SHARED_STORES } from "./shared-stores.js";
import { Shop, questionsOf, resultOf } from "./shop.js";

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

interface Charge {
  readonly idempotencyKey: string;
  readonly amount: number;
}

/** Plays one flow to its end; gives its last request and the bytes that everyone got for it. */
async function play(shop: Shop, flow: number): Promise<{ last: Wire; bytes: string }> {
  const answers: Wire = { amount: accept({ amount: 100 + flow }), sure: accept({}) };
  let params: Wire = { name: "pay", arguments: {} };
  for (let turn = 0; turn < 600; turn += 1) {
    const results = (await shop.send(params, flow + turn, 2)).flatMap((answer) => {
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
      for (const answer of await shop.send({ ...state, inputResponses: malformed }, flow, 2)) {
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
  ends.push(() => shop.close());
  const dies = { point: "inside the effect", visit: 1, signal: "SIGKILL" } as const;
  await Promise.all([shop.start([dies]), shop.start([dies]), shop.start([dies])]);
  const played = await Promise.all(Array.from({ length: FLOWS }, (_, flow) => play(shop, flow)));

  const charges = shop.world<Charge>();
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
  expect(shop.world<Charge>()).toHaveLength(FLOWS);
}

test.concurrent.each(SHARED_STORES)(
  "over %s every flow ends with one effect and one result",
  { timeout: TIMEOUT_MS },
  async (_name, open) => prove(await open(ends)),
);
