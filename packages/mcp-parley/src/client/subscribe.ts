import type { ClientCapabilities } from "../protocol/capabilities.js";
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  MODERN_ERROR_CODES,
  PARSE_ERROR,
} from "../protocol/codes.js";
import { ParleyError, RpcError, isParleyError } from "../protocol/errors.js";
import { type Cancellation, Canceller, follow } from "./cancel.js";
import { ChangeQueue } from "./change-queue.js";
import { type Clock, pause } from "./clock.js";
import { backOff } from "./pace.js";
import type { Sender } from "./sending.js";
import {
  type ServerChange,
  type SubscriptionEvent,
  type SubscriptionFilter,
  allOf,
  readFilter,
} from "./subscription-events.js";
import { type StreamEnd, SubscriptionStream } from "./subscription-stream.js";

/** How a subscription is kept. */
export interface SubscribeOptions {
  /** Ends the subscription: whoever goes through it comes to its end. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the server has to acknowledge it, in milliseconds; default what the client has for
   * every request. From then on it may be silent.
   */
  readonly timeout?: number | undefined;
  /** Whether it is opened again after a cut. Default true; otherwise a cut is thrown. */
  readonly reopen?: boolean | undefined;
}

/** What subscriptions are made of. */
export interface SubscribeParts {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly capabilities: ClientCapabilities;
  /** Cancelled when the client closes. */
  readonly closing: Cancellation;
  /** Called for each change when it is known, before whoever reads the subscription gets to it. */
  readonly onChange: (change: ServerChange) => void;
}

/** A stream that was open for so long, in ms, had nothing to do with the cut before it. */
const SETTLED = 30_000;

/**
 * A subscription, from the first stream that is opened to the end: the server's, the host's, or the
 * client's. Nothing is sent before the first event is asked for.
 *
 * 1. A stream that was cut is opened again after a pause that grows, and what may have been missed
 *    meanwhile is said. One that could never be opened, or that the server refuses for good, throws.
 * 2. Whoever reads slowly gets fewer events, never a growing heap of them.
 */
export async function* subscribe(
  filter: SubscriptionFilter,
  parts: SubscribeParts,
  timeout: number,
  { signal, reopen = true }: SubscribeOptions,
): AsyncGenerator<SubscriptionEvent, void, undefined> {
  const asked = readFilter(filter);
  const everything = allOf(asked);
  if (everything.length === 0) {
    throw new ParleyError("usage", "A subscription asks for something: name a list or a resource.");
  }
  const { clock, closing, onChange } = parts;
  const changes = new ChangeQueue();
  const heard = (change: ServerChange): void => {
    onChange(change);
    changes.add(change);
  };
  const stopping = new Canceller();
  const unfollow = follow(stopping, signal, closing);
  const isStopped = (): boolean => stopping.isCancelled;
  let wasOpen = false;
  let cuts = 0;
  try {
    while (!isStopped()) {
      const stream = new SubscriptionStream({ ...parts, asked, timeout, onChange: heard });
      const leave = stopping.onCancel(() => stream.stop());
      const began = clock.now();
      let isOpen = false;
      let end: StreamEnd | undefined;
      try {
        while (!isStopped()) {
          const { acknowledged } = stream;
          if (acknowledged !== undefined && !isOpen) {
            isOpen = true;
            yield { kind: "open", ...acknowledged };
            if (wasOpen) {
              for (const change of everything) onChange(change);
              yield { kind: "missed" };
            }
            wasOpen = true;
            continue;
          }
          const next = changes.next();
          ({ end } = stream);
          if (next !== undefined) yield next;
          else if (end !== undefined) break;
          else await stream.news();
        }
      } finally {
        leave();
        stream.stop();
      }
      if (end === undefined || isStopped() || end.kind === "ended") return;
      if (!wasOpen || !reopen || !isPassing(end)) throw end.error;
      cuts = isOpen && clock.now() - began >= SETTLED ? 1 : cuts + 1;
      const after = backOff(cuts);
      yield { kind: "cut", error: end.error, after };
      await pause(clock, after, stopping).catch(() => undefined); // stopped: the loop ends
    }
  } finally {
    unfollow();
  }
}

/** Status codes that may be others in a while. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** Codes by which a server says that it will not answer this request otherwise. */
const FOR_GOOD: ReadonlySet<number> = new Set([
  PARSE_ERROR,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  ...MODERN_ERROR_CODES,
]);

/** True for a failure after which the same request may well succeed. */
function isPassing({ error, status }: StreamEnd & { kind: "failed" }): boolean {
  if (status !== undefined) return status >= 500 || PASSING.has(status);
  if (error instanceof RpcError) return !FOR_GOOD.has(error.rpcCode);
  return isParleyError(error, "transport_failed") || isParleyError(error, "timeout");
}
