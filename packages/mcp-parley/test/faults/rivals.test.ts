import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { accept } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { forksOf } from "./forks.js";
import type { StoreAddress } from "./hammer.js";
import { SHARED_STORES } from "./shared-stores.js";
import { Shop, questionsOf, resultOf, type InstanceFault } from "./shop.js";

/*
 * Rivals who hold all states of one flow answer each of them differently, again and again, over
 * three instances that are killed and stopped inside rounds and effects. Each question and each
 * effect names all answers so far, so that everything seen of a flow shows its whole history: there
 * must be one.
 */

const FLOWS = 4;
const RIVALS = 3;
/** How many different answers one state gets. */
const MOST_ANSWERS = 3;
const TIMEOUT_MS = 120_000;

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

/** Numbers from 0 to 1 that are the same in each run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** One of a list, mostly among the last of it. */
function late<T>(list: readonly T[], roll: () => number): T | undefined {
  const back = roll() < 0.7 ? roll() * 5 : roll() * list.length;
  return list[Math.max(0, list.length - 1 - Math.floor(back))];
}

interface Effect {
  readonly idempotencyKey: string;
  readonly flow: string;
  readonly words: string[];
}

/** A flow, and what everyone who has part in it saw. */
class Contest {
  readonly seen: string[][] = [];
  readonly results = new Set<string>();
  readonly codes: number[] = [];
  readonly #shop: Shop;
  readonly #call: Wire;
  /** What can be answered, oldest first. */
  readonly #open: Wire[] = [];
  /** What each state was answered with. */
  readonly #sent = new Map<unknown, Wire[]>();
  #words = 0;

  constructor(shop: Shop, flow: string) {
    this.#shop = shop;
    this.#call = { name: "relay", arguments: { flow } };
  }

  async begin(): Promise<void> {
    while (this.#open.length === 0) await this.#send(this.#call, 0, 1);
  }

  get over(): boolean {
    return this.results.size > 0;
  }

  /** Answers a state in words that nobody else has, or sends again what somebody sent. */
  async answer(roll: () => number): Promise<void> {
    const params = this.#next(late(this.#open, roll) ?? {}, roll);
    const capabilities = roll() < 0.15 ? {} : undefined;
    const copies = roll() < 0.5 ? 1 : 2;
    await this.#send(params, Math.floor(roll() * 3), copies, capabilities);
  }

  /** The answers to one state are few: a round that is pinned to one of them only ends with that. */
  #next(state: Wire, roll: () => number): Wire {
    const sent = this.#sent.get(state["requestState"]) ?? [];
    const again = sent[Math.floor(roll() * MOST_ANSWERS)];
    if (again !== undefined) return again;
    const params = this.#anew(state);
    this.#sent.set(state["requestState"], [...sent, params]);
    return params;
  }

  #anew(state: Wire): Wire {
    const word = `word-${this.#words++}`;
    const answers = questionsOf(state).map((key) => [key, accept({ word })] as const);
    const { requestState } = state;
    return answers.length === 0
      ? { ...this.#call, requestState }
      : { ...this.#call, requestState, inputResponses: Object.fromEntries(answers) };
  }

  async #send(params: Wire, first: number, copies: number, capabilities?: Wire): Promise<void> {
    const responses = await this.#shop.send(params, first, copies, capabilities);
    // All that were asked are gone: their successors are on the way.
    if (responses.length === 0) await pause(100);
    for (const response of responses) {
      const result = resultOf(response);
      if (result === undefined) this.codes.push((response["error"] as { code: number }).code);
      else this.#see(result);
    }
  }

  #see(result: Wire): void {
    if (result["resultType"] === "complete") {
      this.results.add(JSON.stringify(result));
      const [content] = result["content"] as [{ text: string }];
      this.seen.push(JSON.parse(content.text) as string[]);
      return;
    }
    if (this.#open.every(({ requestState }) => requestState !== result["requestState"])) {
      this.#open.push(result);
    }
    const asked = Object.values((result["inputRequests"] ?? {}) as Record<string, Wire>);
    for (const { params } of asked) {
      this.seen.push(JSON.parse((params as { message: string }).message) as string[]);
    }
  }
}

/** What befalls each instance; all of them go on, or are followed by others. */
const FAULTS: InstanceFault[][] = [
  [
    { point: "inside the effect", visit: 1, signal: "SIGSTOP" },
    { point: "inside the round", visit: 9, signal: "SIGKILL" },
  ],
  [
    { point: "inside the round", visit: 2, signal: "SIGSTOP" },
    { point: "inside the effect", visit: 2, signal: "SIGKILL" },
  ],
  [
    { point: "inside the round", visit: 4, signal: "SIGSTOP" },
    { point: "inside the round", visit: 7, signal: "SIGSTOP" },
  ],
];

async function prove(store: StoreAddress): Promise<void> {
  const shop = new Shop(store);
  ends.push(() => shop.close());
  await Promise.all(FAULTS.map((faults) => shop.start(faults)));
  const contests = Array.from({ length: FLOWS }, (_, flow) => new Contest(shop, `flow ${flow}`));
  await Promise.all(
    contests.map(async (contest, flow) => {
      await contest.begin();
      const rivals = Array.from({ length: RIVALS }, async (_, rival) => {
        const roll = dice(1 + flow * RIVALS + rival);
        while (!contest.over) await contest.answer(roll);
        // Whoever comes afterwards, with whatever, changes nothing.
        for (let again = 0; again < 10; again += 1) await contest.answer(roll);
      });
      await Promise.all(rivals);
    }),
  );

  const world = shop.world<Effect>();
  for (const [flow, { seen, results }] of contests.entries()) {
    const effects = world.filter((effect) => effect.flow === `flow ${flow}`);
    expect(forksOf([...seen, ...effects.map(({ words }) => words)])).toEqual([]);
    expect(results.size).toBe(1);
    expect(effects.map(({ words }) => words.length)).toEqual([2, 4]);
    expect(Math.max(...seen.map((words) => words.length))).toBe(4);
  }
  // Rivals were refused, or they were none; and who had declared too little was told so.
  const codes = new Set(contests.flatMap((contest) => contest.codes));
  expect([...codes].sort()).toEqual([-32021, -32602]);
  expect(shop.stops).toBeGreaterThanOrEqual(1);
}

test.concurrent.each(SHARED_STORES)(
  "over %s a flow has one history, however its states are answered",
  { timeout: TIMEOUT_MS },
  async (_name, open) => prove(await open(ends)),
);
