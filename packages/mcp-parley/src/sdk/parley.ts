/**
 * Flows inside servers of the official SDK.
 *
 * 1. A state is opened above the handler, where the SDK can refuse it with -32602; what it is
 *    bound to is checked once the request is known, before anything of it is used.
 * 2. What the SDK's own types say of arguments and results stays as it is.
 * 3. Nothing a handler throws reaches the client unless it was meant to.
 */
import type {
  InputRequiredResult,
  ServerContext,
  ServerOptions,
} from "@modelcontextprotocol/server";
import type { Call } from "../flow/call.js";
import { foundation } from "../flow/foundation.js";
import type { Foundation } from "../flow/foundation.js";
import type { Awaitable } from "../protocol/json.js";
import type { Principal } from "../state/principal.js";
import type { TicketOpened } from "../state/tickets.js";
import { Callers } from "./callers.js";
import { EarlyStates } from "./early-states.js";
import { SdkFlow } from "./flow.js";
import type { AnyHandler, SdkParts } from "./flow.js";
import type { SdkFlowOptions, SdkOptions } from "./options.js";
import type { SdkResult } from "./result.js";

/** Flows for the tools, prompts and resources of the official SDK's servers. */
export interface Parley {
  /**
   * What opens request states. Every `McpServer` whose handlers are flows gets it:
   * `new McpServer(info, { requestState: parley.requestState })`.
   */
  readonly requestState: NonNullable<ServerOptions["requestState"]>;
  /**
   * Makes a handler for `registerTool`, `registerPrompt` or `registerResource` of one that may
   * ask. It gets what the SDK's handler would get, with the call in the place of the context.
   * `name` is what it is registered under: a state of one flow is nothing to another. Throws
   * RangeError for bounds that make no sense.
   */
  flow<Given extends readonly unknown[] = [], Result extends SdkResult = SdkResult>(
    name: string,
    handler: (...given: [...Given, Call]) => Awaitable<Result>,
    options?: SdkFlowOptions,
  ): (...given: [...Given, ServerContext]) => Promise<Result | InputRequiredResult>;
  /**
   * For the page behind a link: opens the ticket its URL carried, for whoever the page has signed
   * in, and refuses everyone but who was asked. Specification: client/elicitation, Phishing.
   */
  openTicket(ticket: unknown, principal: Principal | undefined): TicketOpened;
  /** Stops what Parley itself has started: timers and the watching of keys. */
  close(): void;
}

/**
 * Makes what the flows of the official SDK's servers stand on. Make one for the process, outside
 * of any factory of servers: unless there is a store, what was spent and done is remembered here.
 * Throws `key_invalid` for keys that are none, RangeError for bounds that make no sense.
 */
export function createParley(options: SdkOptions = {}): Parley {
  return new SdkParley(options, foundation(options.name ?? "mcp-parley", options));
}

class SdkParley implements Parley {
  readonly requestState: Parley["requestState"];
  readonly #parts: SdkParts;

  constructor(options: SdkOptions, base: Foundation) {
    const callers = new Callers(options, base.log);
    const states = new EarlyStates(base.flows, callers);
    this.#parts = { base, callers, states };
    this.requestState = { verify: (token, ctx) => states.verify(token, ctx) };
  }

  flow<Given extends readonly unknown[] = [], Result extends SdkResult = SdkResult>(
    name: string,
    handler: (...given: [...Given, Call]) => Awaitable<Result>,
    options: SdkFlowOptions = {},
  ): (...given: [...Given, ServerContext]) => Promise<Result | InputRequiredResult> {
    const flow = new SdkFlow(this.#parts, name, handler as AnyHandler, options);
    return (...all) => {
      const ctx = all.at(-1) as ServerContext;
      return flow.answer(all.slice(0, -1), ctx) as Promise<Result | InputRequiredResult>;
    };
  }

  openTicket(ticket: unknown, principal: Principal | undefined): TicketOpened {
    return this.#parts.base.tickets.open(ticket, principal);
  }

  close(): void {
    this.#parts.base.close();
  }
}
