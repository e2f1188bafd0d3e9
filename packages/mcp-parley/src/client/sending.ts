import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { RpcError } from "../protocol/errors.js";
import type { InputRequests, InputResponses } from "../protocol/input.js";
import type { Listeners } from "./listeners.js";
import type { Credentials } from "./link.js";

/** How one request is sent, and what the host wants to hear of it meanwhile. */
export interface RequestOptions extends Listeners {
  /** Aborts the request, and the call it belongs to: nothing more is sent. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the answer, in milliseconds; default a minute. `timeout` when it is over. */
  readonly timeout?: number | undefined;
  /**
   * The most a whole call may wait for its server, in milliseconds, progress or not; default
   * `limits.totalTime`. `timeout` when a request is under way then, `time_exhausted` between two.
   */
  readonly maxTotalTimeout?: number | undefined;
  /**
   * Asks the server even where a result that was kept is still fresh; what it answers takes that
   * one's place. Default false. See `cache` in the options of the client.
   */
  readonly refresh?: boolean | undefined;
}

/** What the client itself listens to, beside the host. */
export interface SendOptions extends RequestOptions {
  /** What the link says it will send to show who is calling; where absent, it finds that itself. */
  readonly credentials?: Credentials | undefined;
  /** Instead of the host's listeners: called for each notification that may concern this id's request. */
  readonly onNotification?:
    ((id: number, method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The answers to what a call was asked, if any, and the state it was given, if one was. */
export interface Retry {
  readonly answers: InputResponses;
  readonly requestState?: string | undefined;
}

/** A request before it has an id and its `_meta`. */
export interface Asking {
  readonly method: string;
  /** With the caller's own `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** What a retry says beside the params it repeats; undefined where it is none. */
  readonly retry?: Retry | undefined;
  readonly capabilities: ClientCapabilities;
  /** An id this request must not have: that of the one it retries. */
  readonly notId?: number | undefined;
}

/** What a request came to; a `challenge` says what authorization a refused one lacks. */
export type Answered = {
  readonly id: number;
  /** True where the answer was kept from before, and the server was not asked. */
  readonly isKept?: true;
} & (
  | { kind: "complete"; result: Record<string, unknown> }
  | {
      kind: "input_required";
      inputRequests: InputRequests | undefined;
      requestState: string | undefined;
      result: Record<string, unknown>;
    }
  | { kind: "extension"; resultType: string; result: Record<string, unknown> }
  | { kind: "error"; error: RpcError; challenge?: string | undefined }
  | { kind: "status"; status: number; challenge?: string | undefined }
);

/** Whatever answers requests: the server, or what was kept of its answers. */
export interface Sender {
  /**
   * Gives what a request came to, the server's error included. Rejects with `transport_failed`,
   * `result_invalid`, `version_unsupported`, `timeout` or `aborted` where it came to nothing.
   * `timeout` is in ms.
   */
  send(asking: Asking, timeout: number, options: SendOptions): Promise<Answered>;
}
