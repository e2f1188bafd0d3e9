import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Awaitable, JSONValue } from "../protocol/json.js";
import type { RequestId } from "../protocol/jsonrpc.js";
import type { LoggingLevel } from "../protocol/notifications.js";
import type { AskingMethod } from "../protocol/methods.js";
import type { StateRefusal } from "../state/claims.js";
import type { Principal } from "../state/principal.js";
import type { Unbound } from "../state/states.js";
import type { Call } from "./call.js";
import type { FlowSettings } from "./settings.js";

/** One request on its way into a flow. */
export interface RoundRequest {
  readonly method: AskingMethod;
  /** The tool's or prompt's name or the resource's URI. */
  readonly name: string;
  /** The request's parameters as they came. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Its JSON-RPC id, for traces. */
  readonly requestId?: RequestId | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal: Principal | undefined;
  /** A state of this principal's that `openEarly` has opened; then `params` needs to hold none. */
  readonly early?: Unbound | undefined;
  readonly settings: FlowSettings;
  /** Members of the result's `_meta` as JSON text, without braces; may be empty. */
  readonly meta: string;
  signal(): AbortSignal;
  progress(progress: number, total: number | undefined, message: string | undefined): void;
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
}

/** What a handler is to the flow: how to run it, and what its end means on the wire. */
export interface RoundHandler {
  run(call: Call): unknown;
  /** The complete result as JSON text. `retried` when the request carried a state or answers. */
  complete(value: unknown, retried: boolean): string;
  /** What an error that the handler let out means. */
  failed(error: unknown): Failed;
}

/** How a handler's failure shows: as a result (a tool's own error) or as a JSON-RPC error. */
export type Failed = {
  readonly end: FailureEnd;
  /** What events and the log tell of instead of what was thrown, where that says too little. */
  readonly fault?: unknown;
} & (
  | { readonly kind: "complete"; readonly text: string }
  | { readonly kind: "error"; readonly error: RoundError }
);

export type FailureEnd = "declined" | "cancelled" | "failed";

/** A JSON-RPC error. */
export interface RoundError {
  readonly code: number;
  readonly message: string;
  readonly data?: JSONValue | undefined;
}

/** What a round came to, as JSON text or as an error. */
export type RoundOutcome =
  | { readonly kind: "complete"; readonly text: string }
  | { readonly kind: "input_required"; readonly text: string }
  | {
      readonly kind: "error";
      readonly error: RoundError;
      /** True when a corrected retry of the same state could still complete. */
      readonly mendable?: boolean;
    };

/** Runs rounds. */
export interface Flows {
  /** Never rejects. */
  run(request: RoundRequest, handler: RoundHandler): Awaitable<RoundOutcome>;
  /**
   * Opens a state for a seam that has to refuse it before it knows the request; `run` then takes
   * up what this gives. Why a state was refused is for events and logs, never for the wire.
   */
  openEarly(
    method: AskingMethod,
    state: unknown,
    principal: Principal | undefined,
  ): Awaitable<{ ok: true; state: Unbound } | { ok: false; refusal: StateRefusal }>;
}
