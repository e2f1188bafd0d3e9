import { INVALID_PARAMS } from "../protocol/codes.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { CacheHints, Implementation } from "../protocol/features.js";
import type { Awaitable } from "../protocol/json.js";
import {
  DISCOVER,
  PROMPTS_GET,
  PROMPTS_LIST,
  COMPLETE,
  SUBSCRIPTIONS_LISTEN,
  RESOURCES_LIST,
  RESOURCES_READ,
  RESOURCE_TEMPLATES_LIST,
  TOOLS_CALL,
  TOOLS_LIST,
} from "../protocol/methods.js";
import { foundation } from "../flow/foundation.js";
import type { Foundation } from "../flow/foundation.js";
import type { ParleyOptions } from "../flow/options.js";
import type { StandardSchema } from "../flow/schema.js";
import type { Principal } from "../state/principal.js";
import type { TicketOpened } from "../state/tickets.js";
import type { Dispatcher, Reply, RequestContext } from "./context.js";
import type {
  PromptDefinition,
  PromptHandler,
  ResourceDefinition,
  ResourceHandler,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
  ToolDefinition,
  ToolHandler,
} from "./definitions.js";
import { localBus } from "./bus.js";
import type { Bus } from "./bus.js";
import { cacheHints } from "./cache-hints.js";
import { Completion } from "./completion.js";
import { Dispatch, SUPPORTED_VERSIONS, unknownMethod } from "./dispatch.js";
import type { Route } from "./dispatch.js";
import { Prompts } from "./prompts.js";
import { Resources } from "./resources.js";
import type { Incoming } from "./incoming.js";
import type { List } from "./list.js";
import type { RateLimit } from "./rate-limit.js";
import { errorReply, resultReply } from "./respond.js";
import { ResultText } from "./result-text.js";
import { checkShown } from "./shown.js";
import type { Filter } from "./subscription-filter.js";
import { Subscriptions } from "./subscriptions.js";
import { Tools } from "./tools.js";

/** How a server is set up, beside what its flows stand on. */
export interface ServerOptions extends ParleyOptions {
  /** How to use the server, for a model to read. */
  readonly instructions?: string;
  /**
   * How long and by whom the lists and `server/discover` may be kept.
   * Default: `{ ttlMs: 0, cacheScope: "private" }`, not at all.
   */
  readonly cache?: CacheHints;
  /** The most items of one page of a list. Default: everything at once. */
  readonly pageSize?: number;
  /** Carries changes between the instances of a fleet. Default: within this process. */
  readonly bus?: Bus;
  /**
   * Says for each request whether it may be answered now. A refusal is an error of code 1004, over
   * HTTP under 429 with `Retry-After`. Default: no limit.
   */
  readonly rateLimit?: RateLimit;
}

/**
 * A server of revision 2026-07-28: what it offers is added once, and any transport serves it.
 * Names are unique; adding one twice throws `usage`.
 */
export interface McpServer extends Dispatcher {
  /** Adds a tool. The handler may ask, in a straight line. */
  tool<Input extends StandardSchema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<Input>,
    handler: ToolHandler<Input>,
  ): this;
  /** Adds a prompt. */
  prompt<Args extends StandardSchema | undefined = undefined>(
    name: string,
    definition: PromptDefinition<Args>,
    handler: PromptHandler<Args>,
  ): this;
  /** Adds a resource. */
  resource(
    name: string,
    uri: string,
    definition: ResourceDefinition,
    handler: ResourceHandler,
  ): this;
  /** Adds a family of resources: `{name}` stands for one segment, `{+name}` for any rest. */
  resourceTemplate(
    name: string,
    uriTemplate: string,
    definition: ResourceTemplateDefinition,
    handler: ResourceTemplateHandler,
  ): this;
  /** Tells subscribers, of every instance on the bus, that a list has changed. */
  listChanged(list: "tools" | "prompts" | "resources"): void;
  /** Tells those who watch it, of every instance on the bus, that a resource has changed. */
  resourceUpdated(uri: string): void;
  /**
   * For the page behind a link: opens the ticket its URL carried, for whoever the page has signed
   * in, and refuses everyone but who was asked. Specification: client/elicitation, Phishing.
   */
  openTicket(ticket: unknown, principal: Principal | undefined): TicketOpened;
  /** Ends subscriptions, and stops what the server itself has started: timers, the watching of keys. */
  close(): void;
}

/**
 * Makes a server. Its name is part of every request state: a state of one server is nothing to
 * another that shares its keys, so give all instances of one server one name.
 * Throws `key_invalid` for keys that are none, RangeError for bounds that make no sense.
 */
export function createMcpServer(info: Implementation, options: ServerOptions = {}): McpServer {
  return new Server(info, options, foundation(info.name, options));
}

/** The server itself. Not published: authors see {@link McpServer}. */
export class Server implements McpServer {
  readonly #foundation: Foundation;
  readonly #tools: Tools;
  readonly #prompts: Prompts;
  readonly #resources: Resources;
  readonly #subscriptions: Subscriptions;
  readonly #bus: Bus;
  readonly #dispatch: Dispatch;
  readonly #results: ResultText;
  readonly #hints: CacheHints;
  readonly #instructions: string | undefined;

  constructor(info: Implementation, options: ServerOptions, base: Foundation) {
    this.#foundation = base;
    checkShown("The server", info);
    this.#hints = cacheHints(options.cache, false);
    this.#instructions = options.instructions;
    this.#results = new ResultText(info);
    this.#bus = options.bus ?? localBus();
    const parts = { flows: base.flows, settings: base.settings, results: this.#results };
    const lists = { hints: this.#hints, pageSize: pageSize(options.pageSize) };
    this.#tools = new Tools(parts, lists);
    this.#prompts = new Prompts(parts, lists);
    this.#resources = new Resources(parts, lists);
    this.#subscriptions = new Subscriptions(this.#bus, this.#results, (filter, incoming) =>
      this.#narrow(filter, incoming),
    );
    this.#dispatch = new Dispatch(this.#routes(), base.log, options.rateLimit);
  }

  tool<Input extends StandardSchema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<Input>,
    handler: ToolHandler<Input>,
  ): this {
    this.#tools.add(name, definition, handler);
    this.listChanged("tools");
    return this;
  }

  prompt<Args extends StandardSchema | undefined = undefined>(
    name: string,
    definition: PromptDefinition<Args>,
    handler: PromptHandler<Args>,
  ): this {
    this.#prompts.add(name, definition, handler);
    this.listChanged("prompts");
    return this;
  }

  resource(
    name: string,
    uri: string,
    definition: ResourceDefinition,
    handler: ResourceHandler,
  ): this {
    this.#resources.add(name, uri, definition, handler);
    this.listChanged("resources");
    return this;
  }

  resourceTemplate(
    name: string,
    uriTemplate: string,
    definition: ResourceTemplateDefinition,
    handler: ResourceTemplateHandler,
  ): this {
    this.#resources.addTemplate(name, uriTemplate, definition, handler);
    this.listChanged("resources");
    return this;
  }

  listChanged(list: "tools" | "prompts" | "resources"): void {
    this.#bus.publish({ kind: list });
  }

  resourceUpdated(uri: string): void {
    this.#bus.publish({ kind: "resource", uri });
  }

  dispatch(message: unknown, context: RequestContext): Awaitable<Reply | undefined> {
    return this.#dispatch.dispatch(message, context);
  }

  openTicket(ticket: unknown, principal: Principal | undefined): TicketOpened {
    return this.#foundation.tickets.open(ticket, principal);
  }

  drain(): void {
    this.#subscriptions.close();
  }

  close(): void {
    this.drain();
    this.#foundation.close();
  }

  #routes(): ReadonlyMap<string, Route> {
    const { templates } = this.#resources;
    const completion = new Completion(
      this.#results,
      (incoming, name) => this.#prompts.completers(incoming, name),
      (incoming, uri) => this.#resources.completers(incoming, uri),
    );
    return new Map<string, Route>([
      [DISCOVER, ({ id }) => resultReply(id, this.#discover())],
      [TOOLS_LIST, offered(this.#tools.list, (incoming) => pageOf(this.#tools.list, incoming))],
      [TOOLS_CALL, offered(this.#tools.list, (incoming) => this.#tools.call(incoming))],
      [
        PROMPTS_LIST,
        offered(this.#prompts.list, (incoming) => pageOf(this.#prompts.list, incoming)),
      ],
      [PROMPTS_GET, offered(this.#prompts.list, (incoming) => this.#prompts.get(incoming))],
      [
        RESOURCES_LIST,
        offered(this.#resources, (incoming) => pageOf(this.#resources.list, incoming)),
      ],
      [
        RESOURCE_TEMPLATES_LIST,
        offered(this.#resources, (incoming) => pageOf(templates, incoming)),
      ],
      [RESOURCES_READ, offered(this.#resources, (incoming) => this.#resources.read(incoming))],
      [COMPLETE, (incoming) => completion.complete(incoming)],
      [SUBSCRIPTIONS_LISTEN, (incoming) => this.#subscriptions.listen(incoming)],
    ]);
  }

  #capabilities(): ServerCapabilities {
    const listChanged = true;
    return {
      logging: {},
      completions: {},
      ...(this.#tools.list.size > 0 ? { tools: { listChanged } } : {}),
      ...(this.#prompts.list.size > 0 ? { prompts: { listChanged } } : {}),
      ...(this.#resources.size > 0 ? { resources: { subscribe: true, listChanged } } : {}),
    };
  }

  #discover(): string {
    const result = {
      supportedVersions: [...SUPPORTED_VERSIONS],
      capabilities: this.#capabilities(),
      ...(this.#instructions === undefined ? {} : { instructions: this.#instructions }),
    };
    return this.#results.complete(result, this.#hints);
  }

  /** What a caller may subscribe to: the lists there are, and the resources it may read. */
  #narrow(filter: Filter, incoming: Incoming): Filter {
    const { tools, prompts, resources } = this.#capabilities();
    const uris = filter.resourceSubscriptions?.filter((uri) => this.#resources.has(incoming, uri));
    return {
      ...(filter.toolsListChanged && tools ? { toolsListChanged: true } : {}),
      ...(filter.promptsListChanged && prompts ? { promptsListChanged: true } : {}),
      ...(filter.resourcesListChanged && resources ? { resourcesListChanged: true } : {}),
      ...(uris !== undefined && uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
  }
}

/** A method of a feature the server has nothing of is a method it does not have. */
function offered(feature: { readonly size: number }, route: Route): Route {
  return (incoming) =>
    feature.size > 0 ? route(incoming) : unknownMethod(incoming.id, incoming.method);
}

function pageSize(given: number | undefined): number | undefined {
  if (given === undefined || (Number.isSafeInteger(given) && given >= 1)) return given;
  throw new RangeError(`pageSize is a whole number from 1 on; got ${String(given)}`);
}

function pageOf(list: List<unknown>, incoming: Incoming): Reply {
  const cursor = incoming.param("cursor");
  const page =
    cursor === undefined || typeof cursor === "string"
      ? list.page(cursor, incoming.context.principal)
      : undefined;
  return page === undefined
    ? errorReply(incoming.id, INVALID_PARAMS, "Invalid cursor: begin again without one")
    : resultReply(incoming.id, page);
}
