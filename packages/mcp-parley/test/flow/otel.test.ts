import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  propagation,
  trace,
} from "@opentelemetry/api";
import type { Context, ContextManager, TextMapPropagator } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  ParentBasedSampler,
  AlwaysOnSampler,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { NotDone, createMcpServer, form, memoryStore, text } from "../../src/entry/index.js";
import type { McpServer } from "../../src/entry/index.js";
import { otelTracing } from "../../src/entry/otel.js";
import type { OtelTracingOptions } from "../../src/entry/otel.js";
import { accept, answer, cancel, decline, drive, request, send } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";

/** What `@opentelemetry/context-async-hooks` does for a Node process. */
class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    within: Context,
    run: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(within, () => run.apply(self, args));
  }
  bind<T>(_: Context, target: T): T {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    return this;
  }
}

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({
  sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  spanProcessors: [new SimpleSpanProcessor(exporter)],
});
const tracer = provider.getTracer("test");

beforeAll(() => {
  context.setGlobalContextManager(new AsyncContexts());
});
afterAll(async () => {
  context.disable();
  propagation.disable();
  await provider.shutdown();
});

const store = memoryStore();
const keys = randomBytes(32).toString("base64url");
const made: McpServer[] = [];
afterEach(() => {
  for (const each of made.splice(0)) each.close();
  exporter.reset();
});

/** One of the instances of a fleet. */
function instance(fill: (server: McpServer) => void, options: OtelTracingOptions = {}): McpServer {
  const server = createMcpServer(
    { name: "traced", version: "1" },
    {
      log: false,
      keys,
      store,
      tracing: otelTracing({ tracer, ...options }),
    },
  );
  fill(server);
  made.push(server);
  return server;
}

async function fleet(
  fill: (server: McpServer) => void,
  options: OtelTracingOptions = {},
): Promise<Host> {
  const host = await hosts["in memory"]?.(() => instance(fill, options), true);
  if (host === undefined) throw new Error("no host");
  return host;
}

const spans = (): ReadableSpan[] => exporter.getFinishedSpans();
const rounds = (): ReadableSpan[] =>
  spans().filter(({ attributes }) => "parley.outcome" in attributes);
const outcomes = (): unknown[] => rounds().map(({ attributes }) => attributes["parley.outcome"]);
const traceOf = (span: ReadableSpan | undefined): string | undefined => span?.spanContext().traceId;

const asks = (server: McpServer): void => {
  server.tool(
    "asks",
    { inputSchema: z.object({ secret: z.string() }) },
    async ({ secret }, call) => {
      tracer.startActiveSpan("first lookup", (span) => span.end());
      const { why } = await call.ask("why", form("Why?", z.object({ why: z.string() })));
      await call.ask("sure", form("Sure?"));
      await new Promise((resolve) => setImmediate(resolve));
      tracer.startActiveSpan("last lookup", (span) => span.end());
      await call.once("effect", () => secret + why);
      return text(`did ${secret}`);
    },
  );
};
const answers = { why: accept({ why: "canary-answer" }), sure: accept() };
const args = { name: "asks", arguments: { secret: "canary-argument" } };

describe("a flow", () => {
  it("is one trace, a span for each round, on whichever instance", async () => {
    await drive(await fleet(asks), "tools/call", args, answers);
    const all = rounds();
    expect(outcomes()).toEqual(["incomplete", "incomplete", "complete"]);
    expect(all.map(({ attributes }) => attributes["parley.round"])).toEqual([1, 2, 3]);
    expect(new Set(all.map(({ attributes }) => attributes["parley.flow.id"])).size).toBe(1);
    expect(new Set(all.map(traceOf)).size).toBe(1);
    expect(new Set(all.map(({ parentSpanContext }) => parentSpanContext?.spanId)).size).toBe(1);
  });

  it("is another trace than the next flow", async () => {
    const host = await fleet(asks);
    await send(host, request("tools/call", args));
    await send(host, request("tools/call", args));
    const [one, two] = rounds();
    expect(traceOf(one)).not.toBe(traceOf(two));
    expect(one?.attributes["parley.flow.id"]).not.toBe(two?.attributes["parley.flow.id"]);
  });

  it("is named and told of as the conventions say", async () => {
    const message = request("tools/call", args);
    await send(await fleet(asks), message);
    const [span] = rounds();
    expect(span).toMatchObject({ name: "tools/call asks", kind: SpanKind.SERVER });
    expect(span?.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "asks",
      "mcp.protocol.version": "2026-07-28",
      "jsonrpc.request.id": String(message["id"]),
      "parley.flow.id": expect.any(String) as unknown,
      "parley.round": 1,
      "parley.outcome": "incomplete",
    });
    expect(span?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["parley.question_put", { "parley.key": "why", "parley.put": 1 }],
    ]);
    expect(span?.status.code).toBe(SpanStatusCode.UNSET);
  });

  it("runs its handler inside the span, after waiting, too", async () => {
    await drive(await fleet(asks), "tools/call", args, answers);
    const ids = rounds().map((span) => span.spanContext().spanId);
    const parents = (name: string): unknown[] =>
      spans()
        .filter((span) => span.name === name)
        .map(({ parentSpanContext }) => parentSpanContext?.spanId);
    expect(parents("first lookup")).toEqual(ids);
    expect(parents("last lookup")).toEqual([ids[2]]);
  });

  it("tells nothing of what was sent, answered or given", async () => {
    const principal = { issuer: "canary-issuer", subject: "canary-subject" };
    const host = await fleet((server) => {
      asks(server);
      server.tool("breaks", {}, () => {
        throw new Error("canary-error");
      });
      server.resource("r", "canary://uri", {}, () => "canary-content");
    });
    await drive(host, "tools/call", args, answers, { principal });
    await send(host, request("tools/call", { name: "breaks" }), principal);
    await send(host, request("resources/read", { uri: "canary://uri" }), principal);
    const told = rounds().map(({ name, attributes, events, status, links }) => ({
      name,
      attributes,
      events,
      status,
      links,
    }));
    expect(told).toHaveLength(5);
    expect(JSON.stringify(told)).not.toContain("canary");
    expect(told.at(-1)?.name).toBe("resources/read");
  });
});

describe("a client that traces", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const meta = (flags = "01"): Wire => ({
    traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`,
    tracestate: "vendor=1",
  });
  const ask = (host: Host, _meta: Wire): Promise<unknown> =>
    send(host, request("tools/call", { ...args, _meta }));

  it("has each round under the span it names, and all of them linked by their flow", async () => {
    const host = await fleet(asks);
    const first = await send(host, request("tools/call", { ...args, _meta: meta() }));
    const retry = { ...args, ...answer(first.result ?? {}, answers), _meta: meta() };
    await send(host, request("tools/call", retry));
    const [one, two] = rounds();
    for (const span of [one, two]) {
      expect(span?.parentSpanContext).toMatchObject({
        traceId,
        spanId: "00f067aa0ba902b7",
        isRemote: true,
      });
      expect(span?.spanContext().traceState?.get("vendor")).toBe("1");
      expect(span?.links).toHaveLength(1);
    }
    expect(one?.links[0]?.context.traceId).toBe(two?.links[0]?.context.traceId);
    expect(one?.links[0]?.context.spanId).toBe(two?.links[0]?.context.spanId);
    expect(one?.links[0]?.context.traceId).not.toBe(traceId);
  });

  it("that samples nothing has nothing recorded", async () => {
    await ask(await fleet(asks), meta("00"));
    expect(rounds()).toEqual([]);
  });

  it("is only linked to where it should not decide", async () => {
    await ask(await fleet(asks, { joinClients: false }), meta("00"));
    const [span] = rounds();
    expect(traceOf(span)).not.toBe(traceId);
    expect(span?.links.map((link) => link.context.traceId)).toEqual([traceId]);
  });

  it.each([
    "",
    "canary",
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `ff-${traceId}-00f067aa0ba902b7-01`,
    `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${traceId}-00f067aa0ba902b7-01x`,
    7,
  ])("that names %j names none", async (traceparent) => {
    await ask(await fleet(asks), { traceparent });
    const [span] = rounds();
    expect(traceOf(span)).not.toBe(traceId);
    expect(span?.links).toEqual([]);
  });

  it("hands its baggage on where a propagator takes it", async () => {
    const baggage: TextMapPropagator = {
      inject: () => undefined,
      fields: () => ["baggage"],
      extract: (within, carrier, getter) => {
        const given = getter.get(carrier, "baggage");
        const entries = { all: { value: String(given) } };
        return propagation.setBaggage(within, propagation.createBaggage(entries));
      },
    };
    propagation.setGlobalPropagator(baggage);
    let seen: string | undefined;
    const host = await fleet((server) =>
      server.tool("asks", {}, () => {
        seen = propagation.getActiveBaggage()?.getEntry("all")?.value;
        return text("x");
      }),
    );
    await ask(host, { baggage: "user=1" });
    expect(seen).toBe("user=1");
  });
});

describe("what surrounds a round", () => {
  it("is linked to: the flow has a trace of its own", async () => {
    const host = await fleet(asks);
    const http = tracer.startSpan("POST /mcp");
    await context.with(trace.setSpan(ROOT_CONTEXT, http), () =>
      send(host, request("tools/call", args)),
    );
    http.end();
    const [span] = rounds();
    expect(traceOf(span)).not.toBe(http.spanContext().traceId);
    expect(span?.links.map((link) => link.context.spanId)).toEqual([http.spanContext().spanId]);
  });

  it("is the parent of a round whose flow is not known", async () => {
    const host = await fleet(asks);
    const http = tracer.startSpan("POST /mcp");
    await context.with(trace.setSpan(ROOT_CONTEXT, http), () =>
      send(host, request("tools/call", { ...args, requestState: "forged" })),
    );
    const [span] = rounds();
    expect(span?.parentSpanContext?.spanId).toBe(http.spanContext().spanId);
    expect(span?.links).toEqual([]);
  });
});

describe("the part of flows that is sampled", () => {
  it("is none, or some, and then every round of a flow", async () => {
    await drive(await fleet(asks, { sampledFlows: 0 }), "tools/call", args, answers);
    expect(rounds()).toEqual([]);
    const half = await fleet(asks, { sampledFlows: 0.5 });
    for (let n = 0; n < 40; n += 1) await drive(half, "tools/call", args, answers);
    const flows = new Map<unknown, number>();
    for (const { attributes } of rounds()) {
      const flow = attributes["parley.flow.id"];
      flows.set(flow, (flows.get(flow) ?? 0) + 1);
    }
    expect(flows.size).toBeGreaterThan(5);
    expect(flows.size).toBeLessThan(35);
    expect(new Set(flows.values())).toEqual(new Set([3]));
  });

  it.each([-0.1, 1.1, NaN])("is never %s", (sampledFlows) => {
    expect(() => otelTracing({ sampledFlows })).toThrow(RangeError);
  });
});

describe("an outcome", () => {
  const simple = (server: McpServer): void => {
    server.tool("unknown", {}, async (_, call) => {
      await call.once("pay", () => {
        throw new Error("lost");
      });
      return text("x");
    });
    server.tool("refused", {}, async (_, call) => {
      await call.once("pay", () => {
        throw new NotDone("The card was refused");
      });
      return text("x");
    });
  };
  const without = (server: McpServer): void => {
    asks(server);
    server.tool("breaks", {}, () => {
      throw new TypeError("canary");
    });
    server.prompt("declines", {}, async (_, call) => {
      await call.ask("sure", form("Sure?"));
      return { messages: [] };
    });
    simple(server);
  };

  it.each<[string, unknown, string]>([
    ["declined", decline, "1001"],
    ["cancelled", cancel, "1002"],
  ])("of %s is no error", async (word, given, code) => {
    const host = await fleet(without);
    await drive(host, "tools/call", args, { why: given as Wire });
    await drive(host, "prompts/get", { name: "declines" }, { sure: given as Wire });
    expect(outcomes()).toEqual(["incomplete", word, "incomplete", word]);
    const prompt = rounds().at(-1);
    expect(prompt).toMatchObject({
      name: "prompts/get declines",
      status: { code: SpanStatusCode.UNSET },
    });
    expect(prompt?.attributes).toMatchObject({
      "gen_ai.prompt.name": "declines",
      "rpc.response.status_code": code,
    });
    expect(prompt?.attributes).not.toHaveProperty("error.type");
  });

  it("of failed is an error of the tool's, told by its kind", async () => {
    await send(await fleet(without), request("tools/call", { name: "breaks" }));
    const [span] = rounds();
    expect(span?.attributes).toMatchObject({
      "parley.outcome": "failed",
      "error.type": "tool_error",
    });
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["exception", { "exception.type": "TypeError" }],
    ]);
  });

  it("of indeterminate differs from failed", async () => {
    const host = await fleet(without);
    await drive(host, "tools/call", { name: "unknown" });
    await drive(host, "tools/call", { name: "refused" });
    expect(outcomes().filter((word) => word !== "incomplete")).toEqual(["indeterminate", "failed"]);
    expect(rounds().at(-1)?.events[0]).toMatchObject({
      name: "parley.effect",
      attributes: { "parley.key": "pay", "parley.effect.outcome": "not_done" },
    });
  });

  it("of duplicated is in the trace of its flow, and ran nothing", async () => {
    const host = await fleet(without);
    const first = await send(host, request("tools/call", args));
    const retry = { ...args, ...answer(first.result ?? {}, answers) };
    await send(host, request("tools/call", retry));
    await send(host, request("tools/call", retry));
    expect(outcomes()).toEqual(["incomplete", "incomplete", "duplicated"]);
    expect(new Set(rounds().map(traceOf)).size).toBe(1);
    expect(spans().filter(({ name }) => name === "first lookup")).toHaveLength(2);
  });

  it("of refused says why, here and never to the client", async () => {
    const host = await fleet(without);
    const first = await send(host, request("tools/call", args));
    const retry = { ...args, ...answer(first.result ?? {}, answers) };
    const other = { principal: { issuer: "i", subject: "other" } };
    await send(host, request("tools/call", retry), other.principal);
    const [, span] = rounds();
    expect(span?.attributes).toMatchObject({
      "parley.outcome": "refused",
      "parley.refusal": "state_principal",
      "error.type": "-32602",
      "rpc.response.status_code": "-32602",
    });
    expect(span?.attributes).not.toHaveProperty("parley.flow.id");
  });
});
