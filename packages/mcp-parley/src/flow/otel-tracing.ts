/**
 * Rounds as spans of OpenTelemetry, by its API alone.
 *
 * 1. All rounds of a flow are in one trace: the client's where it names one, else one that follows
 *    from the flow's id, so that instances need tell each other nothing.
 * 2. Nothing that a caller sent or got is in a span, but the name of what it called: no arguments,
 *    answers, results, URIs, principals or messages of errors.
 */
import {
  SpanKind,
  SpanStatusCode,
  context,
  isSpanContextValid,
  propagation,
  trace,
} from "@opentelemetry/api";
import type { Attributes, Context, Link, Span, SpanContext, Tracer } from "@opentelemetry/api";
import { isParleyError } from "../protocol/errors.js";
import { RESOURCES_READ, TOOLS_CALL } from "../protocol/methods.js";
import type { FlowEvent, RoundEndWord } from "./events.js";
import { clientSpan, flowSpan } from "./otel-trace.js";
import type { RoundOutcome } from "./request.js";
import type { FlowTracing, RoundAbout, RoundWatch } from "./tracing.js";

/** How rounds are traced. */
export interface OtelTracingOptions {
  /** Default: the tracer `mcp-parley` of the provider that is registered globally. */
  readonly tracer?: Tracer;
  /**
   * Whether a round joins the trace its client names (`traceparent`). Default true. False links to
   * it instead, for clients that should not decide what is recorded here.
   */
  readonly joinClients?: boolean;
  /** Which part of the flows that join no client's trace is sampled, from 0 to 1. Default 1. */
  readonly sampledFlows?: number;
}

/** How a round ended, as `parley.outcome` says it. */
type OutcomeWord = keyof typeof OUTCOMES;

/** The outcomes, and whether each is an error. */
const OUTCOMES = {
  complete: false,
  incomplete: false,
  declined: false,
  cancelled: false,
  duplicated: false,
  retried: false,
  failed: true,
  indeterminate: true,
  refused: true,
};

const WORDS: Readonly<Record<RoundEndWord, OutcomeWord>> = {
  complete: "complete",
  input_required: "incomplete",
  declined: "declined",
  cancelled: "cancelled",
  failed: "failed",
  duplicated: "duplicated",
  in_flight: "retried",
};

/** Throws RangeError for a part that is none. */
export function otelTracing(options: OtelTracingOptions = {}): FlowTracing {
  const { tracer, joinClients = true, sampledFlows = 1 } = options;
  if (!(sampledFlows >= 0 && sampledFlows <= 1)) {
    throw new RangeError(`sampledFlows is from 0 to 1; got ${String(sampledFlows)}`);
  }
  const settings: Settings = { joinClients, sampledFlows };
  return {
    begin: (about) => new Watch(tracer ?? trace.getTracer("mcp-parley"), settings, about),
  };
}

type Settings = Required<Pick<OtelTracingOptions, "joinClients" | "sampledFlows">>;

class Watch implements RoundWatch {
  readonly #tracer: Tracer;
  readonly #settings: Settings;
  readonly #about: RoundAbout;
  readonly #around: Context = context.active();
  readonly #arrived = new Date();
  #span: Span | undefined;
  #word: OutcomeWord = "failed";
  #refusal: string | undefined;
  #isUnknown = false;
  #flow: string | undefined;
  #round: number | undefined;

  constructor(tracer: Tracer, settings: Settings, about: RoundAbout) {
    this.#tracer = tracer;
    this.#settings = settings;
    this.#about = about;
  }

  within<T>(flow: string, round: number, run: () => T): T {
    this.#flow = flow;
    this.#round = round;
    const span = this.#open();
    return context.with(trace.setSpan(this.#carrying(), span), run);
  }

  heard(event: FlowEvent): void {
    this.#flow ??= event.flow;
    this.#round ??= event.round;
    switch (event.type) {
      case "round_ended":
        this.#word = WORDS[event.end];
        return;
      case "state_refused":
        this.#word = "refused";
        this.#refusal = event.refusal;
        return;
      case "round_failed":
        this.#word = "failed";
        this.#exception(event.error);
        return;
      case "handler_failed":
        this.#exception(event.error);
        return;
      case "effect":
        this.#isUnknown ||= event.outcome === "indeterminate";
        this.#note("parley.effect", event.key, { "parley.effect.outcome": event.outcome });
        return;
      case "question_put":
        this.#note("parley.question_put", event.key, { "parley.put": event.put });
        return;
      case "answer_rejected":
      case "question_changed":
      case "diverged":
        this.#note(`parley.${event.type}`, event.key);
        return;
      // The key of an answer that nobody asked for is the client's own text.
      case "answer_ignored":
      case "suspension_swallowed":
        this.#span?.addEvent(`parley.${event.type}`);
        return;
      case "secret_asked":
    }
  }

  ended(outcome: RoundOutcome): void {
    const span = this.#open();
    const word = this.#word === "failed" && this.#isUnknown ? "indeterminate" : this.#word;
    span.setAttribute("parley.outcome", word);
    if (this.#refusal !== undefined) span.setAttribute("parley.refusal", this.#refusal);
    const code = outcome.kind === "error" ? String(outcome.error.code) : undefined;
    if (code !== undefined) span.setAttribute("rpc.response.status_code", code);
    if (OUTCOMES[word]) {
      span.setAttribute("error.type", code ?? "tool_error");
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }

  /** The span of this round, begun when the request arrived, as soon as its trace is known. */
  #open(): Span {
    if (this.#span !== undefined) return this.#span;
    const { method, name, requestId, protocolVersion } = this.#about;
    const hasName = method !== RESOURCES_READ;
    const attributes: Attributes = {
      "mcp.method.name": method,
      ...(hasName
        ? { [method === TOOLS_CALL ? "gen_ai.tool.name" : "gen_ai.prompt.name"]: name }
        : {}),
      ...(method === TOOLS_CALL ? { "gen_ai.operation.name": "execute_tool" } : {}),
      ...(protocolVersion === undefined ? {} : { "mcp.protocol.version": protocolVersion }),
      ...(requestId === undefined ? {} : { "jsonrpc.request.id": String(requestId) }),
      ...(this.#flow === undefined ? {} : { "parley.flow.id": this.#flow }),
      ...(this.#round === undefined ? {} : { "parley.round": this.#round }),
    };
    const { parent, links } = this.#place();
    this.#span = this.#tracer.startSpan(
      hasName && name !== "" ? `${method} ${name}` : method,
      { kind: SpanKind.SERVER, startTime: this.#arrived, attributes, links },
      parent === undefined ? this.#around : trace.setSpanContext(this.#around, parent),
    );
    return this.#span;
  }

  /** Which span this one is under, and which others belong to it. */
  #place(): { parent: SpanContext | undefined; links: Link[] } {
    const { traceparent, tracestate } = this.#about;
    const client = clientSpan(traceparent, tracestate);
    const flow =
      this.#flow === undefined ? undefined : flowSpan(this.#flow, this.#settings.sampledFlows);
    const parent = this.#settings.joinClients ? (client ?? flow) : flow;
    const around = trace.getSpanContext(this.#around);
    const others = [client, flow, around].filter(
      (each): each is SpanContext =>
        each !== undefined && each !== parent && isSpanContextValid(each),
    );
    // Without a parent the span is under what is around it.
    const links = parent === undefined ? others.filter((each) => each !== around) : others;
    return { parent, links: links.map((each) => ({ context: each })) };
  }

  /** The handler's context: what is around it, and the client's baggage where a propagator takes it. */
  #carrying(): Context {
    const { baggage } = this.#about;
    return baggage === undefined ? this.#around : propagation.extract(this.#around, { baggage });
  }

  #note(name: string, key: string, attributes: Attributes = {}): void {
    this.#span?.addEvent(name, { "parley.key": key, ...attributes });
  }

  /** The kind of an error; its message may hold anything. */
  #exception(error: unknown): void {
    const type = isParleyError(error)
      ? error.code
      : error instanceof Error
        ? error.constructor.name
        : typeof error;
    this.#span?.addEvent("exception", { "exception.type": type });
  }
}
