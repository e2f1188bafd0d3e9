import type { RequestId } from "../protocol/jsonrpc.js";
import type { FlowEvent } from "./events.js";
import type { RoundOutcome } from "./request.js";

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
