import { trace } from "@opentelemetry/api";
import { createMcpServer, form, text } from "mcp-parley";
import type { McpServer } from "mcp-parley";
import { otelTracing } from "mcp-parley/otel";

/** Each round is a span, and what the handler does is under it. */
export function tracedServer(): McpServer {
  const server = createMcpServer({ name: "traced", version: "1.0.0" }, { tracing: otelTracing() });
  server.tool("order", { description: "Orders once you agree" }, async (_, call) => {
    const price = await call.memo("price", () => tracer.startActiveSpan("price", priced));
    await call.ask("sure", form(`Order for ${price}?`));
    return text("Ordered.");
  });
  return server;
}

const tracer = trace.getTracer("shop");

function priced(span: { end(): void }): string {
  span.end();
  return "7 €";
}
