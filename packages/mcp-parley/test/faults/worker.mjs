/*
 * One of many processes that claim the same ids: node worker.mjs PLAN, where PLAN is the JSON of
 * hammer.ts's `WorkerPlan`. Everything that happens is a line appended to the plan's log, which
 * is also the world in which effects happen: all processes' lines together are one history.
 */
import { appendFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { openStore } from "./open-store.mjs";

const library = new URL("../../dist/", import.meta.url);
const { createLedger } = await import(new URL("ledger/create.js", library).href);

const plan = JSON.parse(process.argv[2] ?? "");
const tell = (kind, attempt, more = {}) =>
  appendFileSync(plan.log, `${JSON.stringify({ kind, by: plan.name, ...attempt, ...more })}\n`);

const { store, close } = await openStore(plan.store);
const clock = {
  now: () => Date.now() + plan.skew,
  steady: () => performance.now(),
  after(ms, run, keepAlive) {
    const timer = setTimeout(run, ms);
    if (!keepAlive) timer.unref();
    return () => clearTimeout(timer);
  },
};
const protect = { protect: (text) => text, reveal: (text) => text };
const ledger = createLedger({ store, protect }, clock);

/** Stops or kills this very process the nth time it comes to a point. */
const visits = new Map();
function at(point) {
  const visit = (visits.get(point) ?? 0) + 1;
  visits.set(point, visit);
  const fault = plan.faults.find((one) => one.point === point && one.visit === visit);
  if (fault === undefined) return;
  tell(fault.signal, { point });
  process.kill(process.pid, fault.signal);
}

let attempts = 0;
const decided = new Set();

async function attempt(id) {
  const number = attempts++;
  const mine = { id, attempt: number };
  const refused = !plan.effect && number % 5 === 0;
  tell("ask", mine);
  const claimed = await ledger.claim(id, refused ? "wrong answers" : "right answers", {
    notAfter: plan.notAfter,
    lease: plan.lease,
    effect: plan.effect,
    holder: undefined,
  });
  switch (claimed.kind) {
    case "fresh":
      return act(mine, claimed.hold, refused);
    case "settled":
      decided.add(id);
      return tell("told", mine, { outcome: claimed.outcome ?? null });
    case "indeterminate":
      decided.add(id);
      return tell("unknown", mine);
    case "in_flight":
      return claimed.wait(200);
    default:
      return tell(claimed.kind, mine, { refused });
  }
}

async function act(mine, hold, refused) {
  tell("fresh", mine);
  at("after claim");
  if (refused || !hold.mayBegin()) {
    await hold.release();
    return tell("released", mine);
  }
  tell("effect", mine);
  at("inside the effect");
  await new Promise(setImmediate);
  const outcome = `${mine.id} by ${plan.name}, attempt ${mine.attempt}`;
  at("before settle");
  const end = await hold.settle(outcome, 3_600_000);
  at("after settle");
  decided.add(mine.id);
  tell("told", mine, { outcome: end.won ? outcome : (end.outcome ?? null), late: !end.won });
}

/** Goes through the ids from a start of its own until each is decided. */
async function lane(start) {
  for (;;) {
    const left = plan.ids.filter((id) => !decided.has(id));
    if (left.length === 0) return;
    const from = Math.floor(start * left.length);
    for (const id of [...left.slice(from), ...left.slice(0, from)]) {
      if (decided.has(id)) continue;
      try {
        await attempt(id);
      } catch (error) {
        tell("failed", { id }, { code: String(error.code), message: error.message });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}

await Promise.all(plan.lanes.map(lane));
await close();
