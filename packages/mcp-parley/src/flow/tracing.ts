import type { Awaitable } from "../protocol/json.js";
import { chain, isObject, own } from "../protocol/json.js";
import type { RequestId } from "../protocol/jsonrpc.js";
import {
  META_BAGGAGE,
  META_PROTOCOL_VERSION,
  META_TRACEPARENT,
  META_TRACESTATE,
} from "../protocol/meta.js";
import type { FlowEvent } from "./events.js";
import type { FlowParts } from "./parts.js";
import type { RoundOutcome, RoundRequest } from "./request.js";

/** What is known of a round when its request arrives. */
export interface RoundAbout {
  readonly method: string;
  /** The tool's or prompt's name or the resource's URI. */
  readonly name: string;
  /** The request's JSON-RPC id, where the transport tells it. */
  readonly requestId: RequestId | undefined;
  /** The revision it speaks, where it says so. */
  readonly protocolVersion: string | undefined;
  /** The trace the client says it belongs to, as it wrote it. Untrusted. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly baggage: string | undefined;
}

/** Watches one round. None of these may throw. */
export interface RoundWatch {
  /** Runs the handler's part of the round; called at most once, as soon as its flow is known. */
  within<T>(flow: string, round: number, run: () => T): T;
  /** Is told everything that happens in the round, as the server's `onEvent` is. */
  heard(event: FlowEvent): void;
  /** The round is over. Called once. */
  ended(outcome: RoundOutcome): void;
}

/** Watches rounds. `otelTracing` of `mcp-parley/otel` makes one. */
export interface FlowTracing {
  /** A request of a flow has arrived. May not throw. */
  begin(about: RoundAbout): RoundWatch;
}

/** Runs a round that is watched. */
export function watched(
  parts: FlowParts,
  tracing: FlowTracing,
  request: RoundRequest,
  run: (parts: FlowParts, watch: RoundWatch) => Awaitable<RoundOutcome>,
): Awaitable<RoundOutcome> {
  const { method, name, params, requestId } = request;
  const meta = own(params, "_meta");
  const text = (key: string): string | undefined => {
    const value = isObject(meta) ? own(meta, key) : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const watch = tracing.begin({
    method,
    name,
    requestId,
    protocolVersion: text(META_PROTOCOL_VERSION),
    traceparent: text(META_TRACEPARENT),
    tracestate: text(META_TRACESTATE),
    baggage: text(META_BAGGAGE),
  });
  const listener = (event: FlowEvent): void => {
    watch.heard(event);
    parts.listener(event);
  };
  return chain(run({ ...parts, listener }, watch), (outcome) => {
    watch.ended(outcome);
    return outcome;
  });
}
