import { INVALID_SPANID, INVALID_TRACEID, TraceFlags, createTraceState } from "@opentelemetry/api";
import type { SpanContext } from "@opentelemetry/api";
import { sha256 } from "../state/digest.js";

/** W3C Trace Context, version 00 and what later versions begin with. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;
/** What the recommendation has everyone carry. */
const LONGEST_STATE = 512;

/** The span a client says it calls from; undefined where it says nothing that can be read. */
export function clientSpan(
  traceparent: string | undefined,
  tracestate: string | undefined,
): SpanContext | undefined {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === "" || traceId === INVALID_TRACEID || spanId === INVALID_SPANID) return undefined;
  const state = tracestate !== undefined && tracestate.length <= LONGEST_STATE;
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(state ? { traceState: createTraceState(tracestate) } : {}),
  };
}

/**
 * Where all rounds of a flow meet, on whichever instance: a span that is never recorded itself,
 * with ids that follow from the flow's. `ratio` of all flows are sampled, and of those every round.
 */
export function flowSpan(flow: string, ratio: number): SpanContext {
  const digest = sha256(`parley trace ${flow}`);
  const bytes = Buffer.from(digest, "base64url").toString("hex").padEnd(64, "0");
  const share = Number.parseInt(bytes.slice(48, 56), 16) / 2 ** 32;
  return {
    traceId: bytes.slice(0, 32),
    spanId: bytes.slice(32, 48),
    traceFlags: share < ratio ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  };
}
