/**
 * One effect, held to at most once by the ledger.
 *
 * 1. The effect begins only under a claim that is fresh, or taken over with leave (`idempotent`,
 *    or `recover` having said that nothing happened), and no later than half the lease.
 * 2. A value is given to the handler only after it was recorded, and in the shape it was recorded.
 * 3. When it cannot be told whether the effect happened, it is not tried again: `effect_unknown`.
 */
import { ParleyError } from "../protocol/errors.js";
import type { JSONValue } from "../protocol/json.js";
import type { Claimed, Hold, Ledger } from "../ledger/ledger.js";
import type { Effect, OnceOptions } from "./call.js";
import type { EffectOutcome } from "./events.js";
import { jsonText } from "./json-text.js";
import { NotDone } from "./not-done.js";

/** Everything one effect needs. */
export interface EffectTask<T> {
  readonly key: string;
  /** The claim's id in the ledger. */
  readonly id: string;
  /** What must be the same for the claim to be the same. */
  readonly fingerprint: string;
  readonly idempotencyKey: string;
  /** When the record ends, in ms since 1970. */
  readonly notAfter: number;
  /** How long the value is kept, in ms. */
  readonly keep: number;
  readonly holder: string | undefined;
  /** How long its claimer may be silent, in ms. */
  readonly lease: number;
  readonly run: (effect: Effect) => T | PromiseLike<T>;
  readonly options: OnceOptions<T>;
  readonly report: (outcome: EffectOutcome) => void;
}

/** `busy`: somebody else was at it for as long as this round may wait. */
export type EffectResult = { kind: "done"; value: JSONValue | undefined } | { kind: "busy" };

/** How often a claim that came too late to begin under is made anew. */
const TRIES = 5;

/** Runs the effect, or gives what was recorded. Waits up to `patience` ms for somebody else's. */
export async function perform<T>(
  ledger: Ledger,
  task: EffectTask<T>,
  patience: number,
): Promise<EffectResult> {
  const claim = () =>
    ledger.claim(task.id, task.fingerprint, {
      notAfter: task.notAfter,
      lease: task.lease,
      effect: true,
      holder: task.holder,
    });
  let waited = false;
  let tries = 0;
  for (let claimed = await claim(); ; claimed = await claim()) {
    const step = await settle(claimed, task);
    if (step.kind !== "again" && step.kind !== "wait") return step;
    if (step.kind === "again" && ++tries < TRIES) continue;
    if (step.kind === "again" || waited) return { kind: "busy" };
    await step.wait(patience);
    waited = true;
  }
}

type Step =
  EffectResult | { kind: "again" } | { kind: "wait"; wait: (ms: number) => Promise<void> };

async function settle<T>(claimed: Claimed, task: EffectTask<T>): Promise<Step> {
  switch (claimed.kind) {
    case "fresh":
      return begin(claimed.hold, task);
    case "settled":
      if (claimed.outcome === undefined) throw unknown(task, "its result is no longer kept");
      task.report("recorded");
      return { kind: "done", value: decode(claimed.outcome) };
    case "in_flight":
      return { kind: "wait", wait: claimed.wait };
    case "indeterminate":
      return takeOver(claimed, task);
    case "mismatch":
      task.report("conflict");
      throw new ParleyError(
        "effect_conflict",
        task.options.per === undefined
          ? `'${task.key}' was already begun in this flow with other answers: one of its states was answered twice. Leave singleUse on where effects depend on answers.`
          : `'${task.key}' was already done under this business key for another request. Use a key of its own for each thing that must happen once.`,
      );
    case "past":
      throw new ParleyError(
        "effect_unknown",
        `'${task.key}' was not begun: the flow's time is over`,
      );
  }
}

async function takeOver<T>(
  claimed: Extract<Claimed, { kind: "indeterminate" }>,
  task: EffectTask<T>,
): Promise<Step> {
  if (task.options.idempotent !== true && task.options.recover === undefined) {
    task.report("indeterminate");
    throw unknown(task, "whoever ran it has vanished");
  }
  const taken = await claimed.take();
  if (taken.kind !== "fresh") return settle(taken, task);
  if (task.options.recover === undefined) return begin(taken.hold, task);
  return recover(taken.hold, task, task.options.recover, undefined, true);
}

async function begin<T>(hold: Hold, task: EffectTask<T>): Promise<Step> {
  if (!hold.mayBegin()) {
    await hold.release();
    return { kind: "again" };
  }
  let value: T;
  try {
    value = await task.run(effectOf(task));
  } catch (cause) {
    if (cause instanceof NotDone) {
      await hold.release();
      task.report("not_done");
      throw cause;
    }
    if (task.options.recover !== undefined) {
      return recover(hold, task, task.options.recover, cause, false);
    }
    if (task.options.idempotent === true) {
      await hold.release();
      throw cause;
    }
    await hold.abandon();
    task.report("indeterminate");
    throw unknown(task, "it failed half way", cause);
  }
  return record(hold, task, value, "done");
}

async function recover<T>(
  hold: Hold,
  task: EffectTask<T>,
  find: NonNullable<OnceOptions<T>["recover"]>,
  failure: unknown,
  beginIfNot: boolean,
): Promise<Step> {
  let value: T;
  try {
    value = await find(effectOf(task));
  } catch (cause) {
    if (cause instanceof NotDone) {
      if (beginIfNot) return begin(hold, task);
      await hold.release();
      task.report("not_done");
      throw new NotDone(cause.message, { cause: failure ?? cause });
    }
    await hold.abandon();
    task.report("indeterminate");
    throw unknown(task, "and what became of it could not be found out", failure ?? cause);
  }
  return record(hold, task, value, "recovered");
}

async function record<T>(
  hold: Hold,
  task: EffectTask<T>,
  value: T,
  outcome: EffectOutcome,
): Promise<Step> {
  let text: string;
  try {
    text = encode(task.key, value);
  } catch (cause) {
    await hold.abandon();
    throw cause;
  }
  const settled = await hold.settle(text, task.keep);
  task.report(settled.won ? outcome : "recorded");
  if (settled.won) return { kind: "done", value: decode(text) };
  if (settled.outcome === undefined) throw unknown(task, "its result is no longer kept");
  return { kind: "done", value: decode(settled.outcome) };
}

function effectOf<T>(task: EffectTask<T>): Effect {
  const { timeout } = task.options;
  return {
    idempotencyKey: task.idempotencyKey,
    // One for each effect: Workers make no signal outside a request, and share none between them.
    signal: timeout === undefined ? new AbortController().signal : AbortSignal.timeout(timeout),
  };
}

function encode(key: string, value: unknown): string {
  const text = jsonText(key, value);
  return text === undefined ? "{}" : `{"v":${text}}`;
}

function decode(text: string): JSONValue | undefined {
  return (JSON.parse(text) as { v?: JSONValue }).v;
}

function unknown(
  task: { key: string },
  why: string,
  cause?: unknown,
): ParleyError<"effect_unknown"> {
  return new ParleyError(
    "effect_unknown",
    `It is not known whether '${task.key}' happened: ${why}. It was not tried again. Check with whoever provides it before starting over.`,
    cause === undefined ? undefined : { cause },
  );
}
