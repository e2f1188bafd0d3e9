import fc from "fast-check";
import { expect, test } from "vitest";
import { isParleyError } from "../../src/protocol/errors.js";
import { settleDown } from "../support/fake-clock.js";
import type { Fate } from "../support/remote-store.js";
import { Fleet, type Worker } from "./bench.js";

/*
 * Instances that share a store over a bad network, in every order: each operation travels until
 * the schedule lets it arrive, is lost, doubled or late, and time passes in between. What must
 * hold whatever happens is asserted below, not which outcome each claim has.
 */

/** What a handler comes to, if it gets to run. */
type Ending = "settle" | "not_done" | "abandon" | "crash_before" | "crash_inside" | "crash_after";

interface Visit {
  readonly id: string;
  /** What was answered, or for what the effect is: the claim's fingerprint. */
  readonly answers: string;
  readonly ending: Ending;
  readonly take: boolean;
  /** Whether an effect begins in the round. */
  readonly pin: boolean;
}

interface Plan {
  readonly effect: boolean;
  readonly workers: readonly (readonly Visit[])[];
  readonly fates: readonly Fate[];
  readonly schedule: readonly number[];
}

/** The world outside, and what everyone was told. */
class History {
  /** Effects that happened, by id. */
  readonly effects = new Map<string, number>();
  /** Outcomes told, by id. */
  readonly told = new Map<string, Set<string>>();
  /** Ids of which somebody was told that they are settled, and which answers that was for. */
  readonly settled = new Map<string, string>();
  /** The answers that the effects of a round rest on, by id. */
  readonly pinned = new Map<string, string>();
  /** Ids that were claimed with more than one fingerprint. */
  readonly contested: ReadonlySet<string>;
  readonly wrong: string[] = [];

  constructor(plan: Plan) {
    const visits = plan.workers.flat();
    const of = (id: string): Set<string> =>
      new Set(visits.flatMap((visit) => (visit.id === id ? [visit.answers] : [])));
    this.contested = new Set(visits.map(({ id }) => id).filter((id) => of(id).size > 1));
  }

  add(id: string, change: number): void {
    this.effects.set(id, (this.effects.get(id) ?? 0) + change);
  }

  /** What an effect rests on is what everyone is told of, before it and after. */
  rest(id: string, answers: string): void {
    const before = this.pinned.get(id) ?? this.settled.get(id) ?? answers;
    if (before !== answers) this.wrong.push("two histories");
    this.pinned.set(id, answers);
  }

  /** An outcome is only for those who gave the answers it was made of. */
  tell(id: string, answers: string, outcome: string | undefined): void {
    if (outcome === undefined) return;
    if (!outcome.startsWith(`${answers}:`)) this.wrong.push("another's outcome");
    const before = this.settled.get(id) ?? answers;
    if (before !== answers) this.wrong.push("two answers settled");
    if ((this.pinned.get(id) ?? answers) !== answers) this.wrong.push("told of other answers");
    this.settled.set(id, answers);
    const told = this.told.get(id) ?? new Set();
    this.told.set(id, told.add(outcome));
  }
}

const RETRIES = 4;

async function visit(
  fleet: Fleet,
  worker: Worker,
  { id, answers, ending, take, pin }: Visit,
  effect: boolean,
  notAfter: number,
  history: History,
  step: () => Promise<void>,
): Promise<"alive" | "crashed"> {
  for (let retry = 0; retry < RETRIES; retry += 1) {
    const settledBefore = history.settled.has(id);
    const options = fleet.options({ effect, notAfter, lease: 1_000 });
    try {
      let claimed = await worker.ledger.claim(id, answers, options);
      if (claimed.kind === "indeterminate" && take) claimed = await claimed.take();
      if (claimed.kind === "settled") {
        if (claimed.outcome === undefined) history.wrong.push("an outcome lost");
        history.tell(id, answers, claimed.outcome);
        return "alive";
      }
      if (claimed.kind === "mismatch") {
        if (!history.contested.has(id)) history.wrong.push("a mismatch");
        await step();
        continue;
      }
      if (claimed.kind === "in_flight") await claimed.wait(200);
      if (claimed.kind !== "fresh") continue;
      if (settledBefore) history.wrong.push("fresh after settled");
      const { hold } = claimed;
      if (ending === "crash_before") return crash(worker);
      if (effect && !hold.mayBegin()) {
        await hold.release();
        continue;
      }
      if (ending === "not_done") {
        await hold.release();
        return "alive";
      }
      if (!effect && pin) {
        if (!(await hold.pin())) {
          const busy = `${answers}: busy`;
          const end = await hold.settle(busy, 3_600_000);
          history.tell(id, answers, end.won ? busy : end.outcome);
          continue;
        }
        history.rest(id, answers);
      }
      history.add(id, 1);
      await step();
      if (ending === "crash_inside") return crash(worker);
      if (ending === "abandon") {
        await hold.abandon();
        return "alive";
      }
      const outcome = `${answers}: outcome ${history.effects.get(id) ?? 0} of ${id} by ${worker.store.calls.length}`;
      const end = await hold.settle(outcome, 3_600_000);
      history.tell(id, answers, end.won ? outcome : end.outcome);
      if (ending === "crash_after") return crash(worker);
      return "alive";
    } catch (error) {
      if (!isParleyError(error, "store_unavailable")) throw error;
    }
  }
  return "alive";
}

function crash(worker: Worker): "crashed" {
  worker.ledger.close();
  return "crashed";
}

async function play(plan: Plan): Promise<History> {
  const fleet = new Fleet();
  const history = new History(plan);
  const notAfter = fleet.clock.now() + 600_000;
  const travelling: (() => void)[] = [];
  const step = (): Promise<void> => new Promise((resolve) => void travelling.push(resolve));
  let fates = 0;
  const workers: Worker[] = [];

  const run = async (visits: readonly Visit[]): Promise<void> => {
    let worker: Worker | undefined;
    for (const each of visits) {
      if (worker === undefined) {
        worker = fleet.worker();
        worker.store.travel = step;
        worker.store.fate = () => plan.fates[fates++ % plan.fates.length] ?? "done";
        workers.push(worker);
      }
      const end = await visit(fleet, worker, each, plan.effect, notAfter, history, step);
      if (end === "crashed") worker = undefined;
    }
  };

  let running = plan.workers.length;
  const all = Promise.all(plan.workers.map((visits) => run(visits).finally(() => (running -= 1))));
  for (let turn = 0; running > 0; turn += 1) {
    if (turn > 5_000) throw new Error("A history that does not end");
    await settleDown();
    const choice = plan.schedule[turn % plan.schedule.length] ?? 0;
    const next = travelling.splice(choice % Math.max(1, travelling.length), 1)[0];
    if (next === undefined || choice % 7 === 0) await fleet.clock.advance(50 + (choice % 400));
    if (choice % 11 === 0) workers[choice % Math.max(1, workers.length)]?.store.deliver();
    next?.();
  }
  await all;
  for (const { ledger, store } of workers) {
    store.deliver();
    ledger.close();
  }

  // Whoever comes in the end, over a good network, is told what the others were.
  const last = fleet.worker();
  for (const [id, answers] of history.settled) {
    const claimed = await last.ledger.claim(id, answers, fleet.options({ notAfter }));
    if (claimed.kind !== "settled") history.wrong.push(`${claimed.kind} in the end`);
    else history.tell(id, answers, claimed.outcome);
    const others = await last.ledger.claim(id, "others", fleet.options({ notAfter }));
    if (others.kind !== "mismatch") history.wrong.push(`${others.kind} for other answers`);
  }
  await fleet.clock.advance(600_000);
  for (const id of ["a", "b"]) {
    const claimed = await last.ledger.claim(id, "same", fleet.options({ notAfter }));
    if (claimed.kind !== "past") history.wrong.push(`${claimed.kind} past the end`);
  }
  last.ledger.close();
  return history;
}

const ending = fc.constantFrom<Ending>(
  "settle",
  "not_done",
  "abandon",
  "crash_before",
  "crash_inside",
  "crash_after",
);

/** Mostly the same, so that most of what is played is one claim's. */
const answers = fc.oneof(
  { weight: 3, arbitrary: fc.constant("yes") },
  { weight: 1, arbitrary: fc.constant("no") },
);

const plans = (effect: boolean, take: fc.Arbitrary<boolean>, fates: fc.Arbitrary<Fate>) => {
  const pin = fc.boolean();
  const visits = fc.array(
    fc.record({ id: fc.constantFrom("a", "b"), answers, ending, take, pin }),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  return fc.record({
    effect: fc.constant(effect),
    workers: fc.array(visits, { minLength: 2, maxLength: 4 }),
    fates: fc.array(fates, { minLength: 1, maxLength: 20 }),
    schedule: fc.array(fc.nat(1_000), { minLength: 5, maxLength: 60 }),
  });
};

const good = fc.constant<Fate>("done");
const bad = fc.oneof(
  { weight: 6, arbitrary: good },
  { weight: 1, arbitrary: fc.constantFrom<Fate>("request_lost", "reply_lost", "twice", "late") },
);

function soundFor(history: History): void {
  expect(history.wrong).toEqual([]);
  for (const [, told] of history.told) expect([...told]).toHaveLength(1);
}

const cases = { numRuns: 300 };

test("an effect happens at most once while nobody takes it over, over any network", async () => {
  await fc.assert(
    fc.asyncProperty(plans(true, fc.constant(false), bad), async (plan) => {
      const history = await play(plan);
      soundFor(history);
      for (const [, count] of history.effects) expect(count).toBeLessThanOrEqual(1);
    }),
    cases,
  );
});

test("everyone is told one outcome, also when effects are taken over", async () => {
  await fc.assert(
    fc.asyncProperty(plans(true, fc.boolean(), bad), async (plan) => soundFor(await play(plan))),
    cases,
  );
});

test("everyone is told one outcome of a round, and its effects rest on what was told", async () => {
  await fc.assert(
    fc.asyncProperty(plans(false, fc.boolean(), bad), async (plan) => soundFor(await play(plan))),
    cases,
  );
});
