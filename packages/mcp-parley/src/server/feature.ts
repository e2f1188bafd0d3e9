import type { Awaitable } from "../protocol/json.js";
import type { Call } from "../flow/call.js";
import type { AskingMethod } from "../protocol/methods.js";
import type { Flows, RoundHandler } from "../flow/request.js";
import type { FlowSettings } from "../flow/settings.js";
import type { Reply } from "./context.js";
import type { Failure } from "./failures.js";
import type { Incoming } from "./incoming.js";
import type { ResultText } from "./result-text.js";
import { outcomeReply } from "./respond.js";
import { chain } from "../protocol/json.js";

/** What the features of one server share. */
export interface FeatureParts {
  readonly flows: Flows;
  readonly settings: FlowSettings;
  readonly results: ResultText;
}

/** What one tool, prompt or resource adds to running a round. */
export interface Runnable<T> {
  readonly method: AskingMethod;
  readonly name: string;
  readonly settings: FlowSettings;
  run(call: Call): Awaitable<T>;
  /** The complete result as text. Throws for a result that is none. */
  complete(value: T, retried: boolean): string;
  failed: RoundHandler["failed"];
}

/** Runs one round of a tool, prompt or resource. */
export function runRound<T>(
  parts: FeatureParts,
  incoming: Incoming,
  runnable: Runnable<T>,
): Awaitable<Reply> {
  const { method, name, settings } = runnable;
  const outcome = parts.flows.run(
    {
      method,
      name,
      settings,
      params: incoming.params,
      requestId: incoming.id,
      capabilities: incoming.envelope.clientCapabilities,
      principal: incoming.context.principal,
      meta: parts.results.meta,
      signal: () => incoming.context.signal,
      progress: (...of) => incoming.progress(...of),
      log: (...of) => incoming.log(...of),
    },
    runnable,
  );
  return chain(outcome, (done) => outcomeReply(incoming.id, done));
}

/** A failure as a JSON-RPC error: what prompts and resources have, since they have no other. */
export function asError({ end, error, fault }: Failure): ReturnType<RoundHandler["failed"]> {
  return { kind: "error", error, end, fault };
}
