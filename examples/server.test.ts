import { trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  AlwaysOnSampler,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, expect, it } from "vitest";
import type { McpServer } from "mcp-parley";
import { connect } from "mcp-parley/client";
import type { Client } from "mcp-parley/client";
import { serve } from "mcp-parley/node";
import { limitedServer, perMinute } from "./limited.js";
import { tracedServer } from "./traced.js";
import { weatherServer } from "./weather.js";

/** The examples of docs/server.md and docs/tracing.md, served and called. */
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function clientOf(server: McpServer): Promise<Client> {
  const serving = await serve(server, { port: 0 });
  const client = await connect(serving.url, { answer: { form: () => ({ action: "accept" }) } });
  ends.push(
    () => serving.close(),
    () => client.close(),
  );
  return client;
}

it("weather answers with structure and text, and tells the model what does not fit", async () => {
  const client = await clientOf(weatherServer());
  expect(await client.callTool({ name: "weather", arguments: { city: "Lima" } })).toMatchObject({
    structuredContent: [{ celsius: 4 }],
    content: [{ text: "4 °C in Lima" }],
  });
  expect(await client.callTool({ name: "weather", arguments: { town: "Lima" } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('"town"') as unknown }],
  });
});

it("limited refuses the third call of a minute, and no round that carries one on", async () => {
  const client = await clientOf(limitedServer());
  await client.callTool({ name: "hello", arguments: {} });
  await client.callTool({ name: "hello", arguments: {} });
  await expect(client.callTool({ name: "hello", arguments: {} })).rejects.toMatchObject({
    code: "rpc",
    rpcCode: 1004,
  });

  let now = 0;
  const limit = perMinute(1, () => now);
  const { signal } = new AbortController();
  const call = { method: "tools/call", name: "x", principal: undefined, isRetry: false, signal };
  expect(limit(call)).toBe(true);
  expect(limit(call)).toEqual({ retryAfterMs: 60_000 });
  expect(limit({ ...call, isRetry: true })).toBe(true);
  now = 60_000;
  expect(limit(call)).toBe(true);
});

it("traced makes a span of each round, in one trace", async () => {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ sampler: new AlwaysOnSampler(), spanProcessors }),
  );
  ends.push(() => trace.disable());
  await (await clientOf(tracedServer())).callTool({ name: "order", arguments: {} });
  const rounds = exporter.getFinishedSpans().filter(({ name }) => name === "tools/call order");
  expect(rounds.map(({ attributes }) => attributes["parley.outcome"])).toEqual([
    "incomplete",
    "complete",
  ]);
  expect(new Set(rounds.map((span) => span.spanContext().traceId)).size).toBe(1);
});
