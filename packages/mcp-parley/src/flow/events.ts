import type { StateRefusal } from "../state/claims.js";

/** Which flow an event belongs to. */
export interface FlowEventBase {
  readonly method: string;
  /** The tool's or prompt's name or the resource's URI; empty where it was not known yet. */
  readonly name: string;
  /** The flow's id; undefined when the state could not be opened. */
  readonly flow: string | undefined;
  readonly round: number | undefined;
}

/** How a round ended. Different things stay different. */
export type RoundEndWord =
  | "complete"
  | "input_required"
  | "declined"
  | "cancelled"
  | "failed"
  /** A request that was delivered again and got the stored result. */
  | "duplicated"
  /** A request that was delivered again while the first was running. */
  | "in_flight";

/** What happens in a flow. */
export type FlowHappening =
  | { readonly type: "round_ended"; readonly end: RoundEndWord; readonly ms: number }
  | { readonly type: "state_refused"; readonly refusal: StateRefusal }
  | { readonly type: "question_put"; readonly key: string; readonly put: number }
  | { readonly type: "answer_rejected"; readonly key: string }
  | { readonly type: "answer_ignored"; readonly key: string }
  | { readonly type: "question_changed"; readonly key: string }
  | { readonly type: "suspension_swallowed" }
  | { readonly type: "diverged"; readonly key: string }
  | { readonly type: "effect"; readonly key: string; readonly outcome: EffectOutcome }
  | { readonly type: "secret_asked"; readonly key: string; readonly field: string }
  | { readonly type: "handler_failed"; readonly error: unknown }
  | { readonly type: "round_failed"; readonly error: unknown };

/** What happens in flows, for logs, metrics and traces. Never holds answers, arguments or keys. */
export type FlowEvent = FlowEventBase & FlowHappening;

/** What became of an effect in a round. */
export type EffectOutcome =
  "done" | "recorded" | "recovered" | "not_done" | "indeterminate" | "conflict";

/** Receives events. What it throws is ignored. */
export type FlowListener = (event: FlowEvent) => void;
