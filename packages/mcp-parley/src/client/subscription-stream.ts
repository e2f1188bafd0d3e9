import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ParleyError } from "../protocol/errors.js";
import { isObject, own } from "../protocol/json.js";
import { META_SUBSCRIPTION_ID } from "../protocol/meta.js";
import { CANCELLED, SUBSCRIPTIONS_LISTEN, SUBSCRIPTION_ACKNOWLEDGED } from "../protocol/methods.js";
import type { Clock } from "./clock.js";
import { failureOf, late } from "./failures.js";
import type { Answered, Sender } from "./sending.js";
import {
  type ServerChange,
  type SubscriptionFilter,
  changeIn,
  readFilter,
} from "./subscription-events.js";

/** What a stream is opened with. */
export interface StreamParts {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly capabilities: ClientCapabilities;
  readonly asked: SubscriptionFilter;
  /** How long the server has to acknowledge it, in ms. */
  readonly timeout: number;
  /** Called with each change, when it arrives. */
  readonly onChange: (change: ServerChange) => void;
}

/** What the server made of a stream. */
export interface Acknowledged {
  readonly subscriptionId: number;
  readonly accepted: SubscriptionFilter;
}

/** How a stream ended: by the server's word, or as a failure. */
export type StreamEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly error: unknown; readonly status?: number };

/** How long a server that has taken a subscription back may take to end its stream, in ms. */
const REST = 1_000;

/**
 * One `subscriptions/listen` request, from being sent to the end of its stream.
 *
 * 1. Only what carries the request's own id is heard, and nothing before the acknowledgement.
 * 2. The server has a limited time to acknowledge; from then on the stream may be silent for good.
 *
 * Specification: basic/patterns/subscriptions.
 */
export class SubscriptionStream {
  readonly #parts: StreamParts;
  readonly #stopping = new AbortController();
  #takeBack: () => void;
  #late: ParleyError | undefined;
  #isTakenBack = false;
  #acknowledged: Acknowledged | undefined;
  #end: StreamEnd | undefined;
  #wake: (() => void) | undefined;

  /** Sends the request. */
  constructor(parts: StreamParts) {
    const { sender, clock, capabilities, asked, timeout } = parts;
    this.#parts = parts;
    this.#takeBack = clock.after(timeout, () => {
      this.#late = late(SUBSCRIPTIONS_LISTEN, timeout);
      this.stop();
    });
    const asking = {
      method: SUBSCRIPTIONS_LISTEN,
      params: { notifications: asked },
      capabilities,
    };
    const options = {
      signal: this.#stopping.signal,
      onNotification: (id: number, method: string, params: Readonly<Record<string, unknown>>) =>
        this.#hear(id, method, params),
    };
    sender.send(asking, Infinity, options).then(
      (answer) => this.#over(this.#judge(answer)),
      (error: unknown) => this.#over({ kind: "failed", error: this.#late ?? error }),
    );
  }

  /** Undefined until the server has acknowledged it. */
  get acknowledged(): Acknowledged | undefined {
    return this.#acknowledged;
  }

  /** Undefined until it is over. */
  get end(): StreamEnd | undefined {
    return this.#end;
  }

  /** Resolves once more has happened. */
  news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Cancels the request; nothing happens where it is over. */
  stop(): void {
    this.#stopping.abort();
  }

  #hear(id: number, method: string, params: Readonly<Record<string, unknown>>): void {
    const meta = own(params, "_meta");
    const isOurs = isObject(meta) && own(meta, META_SUBSCRIPTION_ID) === id;
    if (method === CANCELLED && own(params, "requestId") === id) this.#takenBack();
    else if (!isOurs) return;
    else if (this.#acknowledged !== undefined) {
      const change = changeIn(method, params, this.#parts.asked);
      if (change === undefined) return;
      this.#parts.onChange(change);
    } else if (method === SUBSCRIPTION_ACKNOWLEDGED) {
      this.#takeBack();
      const accepted = readFilter(own(params, "notifications"), this.#parts.asked);
      this.#acknowledged = { subscriptionId: id, accepted };
    }
    this.#wake?.();
  }

  /** The server's result follows, or only the end of its stream. */
  #takenBack(): void {
    this.#isTakenBack = true;
    this.#takeBack();
    this.#takeBack = this.#parts.clock.after(REST, () => this.stop());
  }

  #judge(answer: Answered): StreamEnd {
    switch (answer.kind) {
      case "complete":
        if (this.#acknowledged !== undefined || this.#isTakenBack) return { kind: "ended" };
        return { kind: "failed", error: notAcknowledged() };
      case "error":
        return { kind: "failed", error: answer.error };
      case "status": {
        const error = failureOf(answer, SUBSCRIPTIONS_LISTEN);
        return { kind: "failed", error, status: answer.status };
      }
      default:
        return { kind: "failed", error: notAcknowledged() };
    }
  }

  #over(end: StreamEnd): void {
    this.#takeBack();
    this.#end = this.#isTakenBack ? { kind: "ended" } : end;
    this.#wake?.();
  }
}

function notAcknowledged(): ParleyError {
  return new ParleyError(
    "result_invalid",
    `The server answered ${SUBSCRIPTIONS_LISTEN} without acknowledging it first.`,
  );
}
