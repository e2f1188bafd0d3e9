/**
 * Flows as traces of OpenTelemetry. Needs `@opentelemetry/api`, and whatever SDK the process has
 * registered; without one nothing is recorded.
 */
import { otelTracing as make } from "../flow/otel-tracing.js";
import type { OtelTracingOptions } from "../flow/otel-tracing.js";
import type { FlowTracing } from "../flow/tracing.js";

/**
 * Makes what a server's `tracing` option takes: one span for each round of a tool, prompt or
 * resource, all rounds of a flow in one trace, and the handler run inside its span, so that its own
 * spans nest. Attributes are those of the semantic conventions for MCP, and `parley.flow.id`,
 * `parley.round` and `parley.outcome`: complete, incomplete, declined, cancelled, duplicated,
 * retried, failed, indeterminate or refused. Arguments, answers, results, URIs and principals are
 * never in them. Throws RangeError for options out of range.
 * Specification: basic/index, OpenTelemetry trace context.
 */
export function otelTracing(options?: OtelTracingOptions): FlowTracing {
  return make(options);
}

export type { OtelTracingOptions } from "../flow/otel-tracing.js";
export type { FlowTracing, RoundAbout, RoundWatch } from "../flow/tracing.js";
