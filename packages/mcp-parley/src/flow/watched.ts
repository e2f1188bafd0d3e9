import { chain, isObject, own } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import {
  META_BAGGAGE,
  META_PROTOCOL_VERSION,
  META_TRACEPARENT,
  META_TRACESTATE,
} from "../protocol/meta.js";
import type { FlowEvent } from "./events.js";
import type { FlowParts } from "./parts.js";
import type { RoundOutcome, RoundRequest } from "./request.js";
import type { FlowTracing, RoundWatch } from "./tracing.js";

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
