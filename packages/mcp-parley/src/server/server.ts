import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { CacheHints, Implementation } from "../protocol/features.js";
import type { Awaitable } from "../protocol/json.js";
import {
  DISCOVER,
  PROMPTS_GET,
  PROMPTS_LIST,
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
  ResourceTemplateHandler,
  ToolDefinition,
  ToolHandler,
} from "./definitions.js";
import { Dispatch, SUPPORTED_VERSIONS } from "./dispatch.js";
import type { Route } from "./dispatch.js";
import { Prompts } from "./prompts.js";
import { Resources } from "./resources.js";
import { resultReply } from "./respond.js";
import { ResultText } from "./result-text.js";
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
    definition: Omit<ResourceDefinition, "size">,
    handler: ResourceTemplateHandler,
  ): this;
  /**
   * For the page behind a link: opens the ticket its URL carried, for whoever the page has signed
   * in, and refuses everyone but who was asked. Specification: client/elicitation, Phishing.
   */
  openTicket(ticket: unknown, principal: Principal | undefined): TicketOpened;
  /** Stops what the server itself has started: timers and the watching of keys. */
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

const UNCACHED: CacheHints = { ttlMs: 0, cacheScope: "private" };

/** The server itself. Not published: authors see {@link McpServer}. */
export class Server implements McpServer {
  readonly #foundation: Foundation;
  readonly #tools: Tools;
  readonly #prompts: Prompts;
  readonly #resources: Resources;
  readonly #dispatch: Dispatch;
  readonly #results: ResultText;
  readonly #hints: CacheHints;
  readonly #instructions: string | undefined;

  constructor(info: Implementation, options: ServerOptions, base: Foundation) {
    this.#foundation = base;
    this.#hints = options.cache ?? UNCACHED;
    this.#instructions = options.instructions;
    this.#results = new ResultText(info);
    const parts = { flows: base.flows, settings: base.settings, results: this.#results };
    this.#tools = new Tools(parts, this.#hints);
    this.#prompts = new Prompts(parts, this.#hints);
    this.#resources = new Resources(parts, this.#hints);
    this.#dispatch = new Dispatch(this.#routes(), base.log);
  }

  tool<Input extends StandardSchema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<Input>,
    handler: ToolHandler<Input>,
  ): this {
    this.#tools.add(name, definition, handler);
    return this;
  }

  prompt<Args extends StandardSchema | undefined = undefined>(
    name: string,
    definition: PromptDefinition<Args>,
    handler: PromptHandler<Args>,
  ): this {
    this.#prompts.add(name, definition, handler);
    return this;
  }

  resource(
    name: string,
    uri: string,
    definition: ResourceDefinition,
    handler: ResourceHandler,
  ): this {
    this.#resources.add(name, uri, definition, handler);
    return this;
  }

  resourceTemplate(
    name: string,
    uriTemplate: string,
    definition: Omit<ResourceDefinition, "size">,
    handler: ResourceTemplateHandler,
  ): this {
    this.#resources.addTemplate(name, uriTemplate, definition, handler);
    return this;
  }

  dispatch(message: unknown, context: RequestContext): Awaitable<Reply | undefined> {
    return this.#dispatch.dispatch(message, context);
  }

  openTicket(ticket: unknown, principal: Principal | undefined): TicketOpened {
    return this.#foundation.tickets.open(ticket, principal);
  }

  close(): void {
    this.#foundation.close();
  }

  #routes(): ReadonlyMap<string, Route> {
    return new Map<string, Route>([
      [DISCOVER, ({ id }) => resultReply(id, this.#discover())],
      [TOOLS_LIST, ({ id }) => resultReply(id, this.#tools.list.result())],
      [TOOLS_CALL, (incoming) => this.#tools.call(incoming)],
      [PROMPTS_LIST, ({ id }) => resultReply(id, this.#prompts.list.result())],
      [PROMPTS_GET, (incoming) => this.#prompts.get(incoming)],
      [RESOURCES_LIST, ({ id }) => resultReply(id, this.#resources.list.result())],
      [RESOURCE_TEMPLATES_LIST, ({ id }) => resultReply(id, this.#resources.templates.result())],
      [RESOURCES_READ, (incoming) => this.#resources.read(incoming)],
    ]);
  }

  #discover(): string {
    const capabilities: ServerCapabilities = {
      logging: {},
      ...(this.#tools.list.size > 0 ? { tools: {} } : {}),
      ...(this.#prompts.list.size > 0 ? { prompts: {} } : {}),
      ...(this.#resources.size > 0 ? { resources: {} } : {}),
    };
    const result = {
      supportedVersions: [...SUPPORTED_VERSIONS],
      capabilities,
      ...(this.#instructions === undefined ? {} : { instructions: this.#instructions }),
    };
    return this.#results.complete(result, this.#hints);
  }
}
