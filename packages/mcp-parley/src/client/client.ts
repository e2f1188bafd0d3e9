import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Resource } from "../protocol/content.js";
import { ParleyError } from "../protocol/errors.js";
import type {
  CallToolResult,
  CompleteResult,
  DiscoverResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourceTemplatesResult,
  ListResourcesResult,
  ListToolsResult,
  PaginatedResult,
  Prompt,
  ReadResourceResult,
  ResourceTemplate,
  Tool,
} from "../protocol/features.js";
import {
  type AskingMethod,
  COMPLETE,
  DISCOVER,
  PROMPTS_GET,
  PROMPTS_LIST,
  RESOURCES_LIST,
  RESOURCES_READ,
  RESOURCE_TEMPLATES_LIST,
  TOOLS_CALL,
  TOOLS_LIST,
} from "../protocol/methods.js";
import { callOf } from "./call.js";
import type {
  CompleteCall,
  ParamsOf,
  PromptCall,
  ResourceCall,
  ResultOf,
  ToolCall,
} from "./calls.js";
import type { ServerFacts } from "./discover.js";
import { UnfinishedError } from "./errors.js";
import { failureOf } from "./failures.js";
import type { KeptAnswers } from "./kept-answers.js";
import { positive } from "./limits.js";
import { Pages } from "./pages.js";
import { type PendingCall, openQuestions } from "./pending.js";
import { readPending } from "./read-pending.js";
import { requireList } from "./results.js";
import { type Playing, keepPace, playOut } from "./rounds.js";
import type { RequestOptions, Sender } from "./sending.js";
import { type SubscribeOptions, subscribe } from "./subscribe.js";
import type { ServerChange, SubscriptionEvent, SubscriptionFilter } from "./subscription-events.js";
import type { Turn, TurnOptions } from "./turns.js";
import { declaredOnly } from "./undeclared.js";

/** What a client is made of. */
export interface ClientParts {
  readonly sender: Sender;
  /** What was kept of the server's answers; undefined where nothing is. */
  readonly kept: KeptAnswers | undefined;
  readonly playing: Playing;
  readonly facts: ServerFacts;
  readonly capabilities: ClientCapabilities;
  /** One request's time where its options say nothing, in ms. */
  readonly timeout: number;
  readonly onRound: TurnOptions["onRound"];
  readonly close: () => Promise<void>;
}

/**
 * A client of one server, made by `connect`. Of its calls it keeps nothing, so that any number may be
 * under way at once; of the server's tools, which arguments they want in headers.
 *
 * What a call may reject with: `rpc`, an error of the server's ({@link RpcError}); `result_invalid`,
 * an answer this revision does not know; `transport_failed`, `timeout` and `unauthorized`; `aborted`;
 * `answer_missing` and `answer_invalid`; `rounds_exhausted` and `time_exhausted`; and whatever an
 * answer function threw.
 */
export class Client {
  /** What the server said of itself when the client connected. */
  readonly server: ServerFacts;
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.server = parts.facts;
    this.#parts = parts;
  }

  /** Calls a tool, in as many rounds as it takes. A tool that failed is a result with `isError`. */
  async callTool(call: ToolCall, options: TurnOptions = {}): Promise<CallToolResult> {
    return this.#play(TOOLS_CALL, call, options);
  }

  /** Gets a prompt, in as many rounds as it takes. */
  async getPrompt(call: PromptCall, options: TurnOptions = {}): Promise<GetPromptResult> {
    return this.#play(PROMPTS_GET, call, options);
  }

  /** Reads a resource, in as many rounds as it takes. */
  async readResource(call: ResourceCall, options: TurnOptions = {}): Promise<ReadResourceResult> {
    return this.#play(RESOURCES_READ, call, options);
  }

  /**
   * Sends the first round of a call and gives what it came to, for a host that drives the rounds
   * itself: no answer function is called.
   */
  async begin<Method extends AskingMethod>(
    method: Method,
    params: ParamsOf<Method>,
    options: TurnOptions = {},
  ): Promise<Turn<Method>> {
    const call = callOf(method, params, this.#parts.capabilities);
    return declaredOnly(this.#turns.begin(call, this.#timeout(options), this.#heard(options)));
  }

  /**
   * Sends the next round of a pending call that is answered in full, and after a pause where the
   * server only wanted to be asked again. `answer_missing` names the keys still open;
   * `pending_foreign` where the call belongs to another server; `pending_invalid` where it is none.
   *
   * A round whose answer was lost may be resumed again from the same pending call. Whether the
   * server then does something twice is the server's to say; one of ours does not.
   */
  async resume<Method extends AskingMethod>(
    pending: PendingCall<Method>,
    options: TurnOptions = {},
  ): Promise<Turn<Method>> {
    const read = this.#own(pending);
    const open = openQuestions(read).map(({ key }) => JSON.stringify(key));
    if (open.length > 0) {
      const message = `Not answered yet: ${open.join(", ")}. Add each with answered().`;
      throw new UnfinishedError("answer_missing", message, read);
    }
    if (read.idle > 0) await keepPace(read, this.#parts.playing, Infinity, options.signal);
    return declaredOnly(this.#turns.retry(read, this.#timeout(options), this.#heard(options), 0));
  }

  /**
   * Begins the same call anew, without state or answers, as after a refusal. The server may do what
   * it has done before: never automatic, and best left to a person.
   */
  async restart<Method extends AskingMethod>(
    pending: PendingCall<Method>,
    options: TurnOptions = {},
  ): Promise<Turn<Method>> {
    const { method, params } = this.#own(pending);
    const call = { method, params, capabilities: this.#parts.capabilities };
    return declaredOnly(this.#turns.begin(call, this.#timeout(options), this.#heard(options)));
  }

  /**
   * The server's tools. Over HTTP those whose `x-mcp-header` annotations are not valid are left out,
   * with a warning, and what the others have mirrored into headers is remembered for their calls
   * (basic/transports/streamable-http, Custom Headers from Tool Parameters).
   */
  listTools(options: RequestOptions = {}): Pages<Tool, ListToolsResult> {
    return this.#list(TOOLS_LIST, (page) => page.tools, options);
  }

  /** The server's prompts. */
  listPrompts(options: RequestOptions = {}): Pages<Prompt, ListPromptsResult> {
    return this.#list(PROMPTS_LIST, (page) => page.prompts, options);
  }

  /** The server's resources. */
  listResources(options: RequestOptions = {}): Pages<Resource, ListResourcesResult> {
    return this.#list(RESOURCES_LIST, (page) => page.resources, options);
  }

  /** The server's families of resources. */
  listResourceTemplates(
    options: RequestOptions = {},
  ): Pages<ResourceTemplate, ListResourceTemplatesResult> {
    return this.#list(RESOURCE_TEMPLATES_LIST, (page) => page.resourceTemplates, options);
  }

  /** Asks the server what it is and can do. */
  async discover(options: RequestOptions = {}): Promise<DiscoverResult> {
    return this.#request(DISCOVER, {}, options);
  }

  /**
   * Asks for values an argument may have, to offer while somebody types. At most a hundred come;
   * `total` and `hasMore` say whether there are more.
   */
  async complete(call: CompleteCall, options: RequestOptions = {}): Promise<CompleteResult> {
    const result = await this.#request<CompleteResult>(COMPLETE, { ...call }, options);
    const { completion } = result as { completion?: { values?: unknown } | null };
    if (!Array.isArray(completion?.values)) {
      throw new ParleyError("result_invalid", "The server's completion has no list of values.");
    }
    return result;
  }

  /**
   * Subscribes to changes, and gives them as they come: go through it with `for await`. It is opened
   * with the first step, and again whenever it is cut; `open`, `cut` and `missed` say so. It ends
   * when the server ends it, when `options.signal` aborts, when the loop is left, or when the client
   * closes; it throws where it cannot be opened at all, or the server refuses it for good. What the
   * server tells of is also forgotten where it was kept.
   *
   * Specification: basic/patterns/subscriptions.
   */
  listen(
    filter: SubscriptionFilter,
    options: SubscribeOptions = {},
  ): AsyncGenerator<SubscriptionEvent, void, undefined> {
    const { sender, kept, capabilities, playing } = this.#parts;
    const { clock, closing } = playing;
    const onChange = (change: ServerChange): void => kept?.heed(change);
    const parts = { sender, clock, capabilities, closing, onChange };
    return subscribe(filter, parts, this.#timeout(options), options);
  }

  /**
   * Lets go of the server: calls under way reject with `aborted`, connections close, a process the
   * client started is ended. A pending call outlives it.
   */
  async close(): Promise<void> {
    this.#parts.kept?.close();
    await this.#parts.close();
  }

  get #turns(): Playing["turns"] {
    return this.#parts.playing.turns;
  }

  #timeout({ timeout }: Pick<RequestOptions, "timeout">): number {
    return timeout === undefined ? this.#parts.timeout : positive("timeout", timeout);
  }

  #heard(options: TurnOptions): TurnOptions {
    const bounded = this.#bounded(options);
    return options.onRound === undefined ? { ...bounded, onRound: this.#parts.onRound } : bounded;
  }

  /** However often progress renews a timeout, it has an end. */
  #bounded<Options extends RequestOptions>(options: Options): Options {
    const { maxTotalTimeout, resetTimeoutOnProgress } = options;
    if (maxTotalTimeout !== undefined) positive("maxTotalTimeout", maxTotalTimeout);
    else if (resetTimeoutOnProgress === true) {
      return { ...options, maxTotalTimeout: this.#parts.playing.limits.totalTime };
    }
    return options;
  }

  #play<Method extends AskingMethod>(
    method: Method,
    params: ParamsOf<Method>,
    options: TurnOptions,
  ): Promise<ResultOf<Method>> {
    const { capabilities, playing } = this.#parts;
    const call = callOf(method, params, capabilities);
    return playOut(call, playing, this.#timeout(options), this.#heard(options));
  }

  #own<Method extends AskingMethod>(pending: PendingCall<Method>): PendingCall<Method> {
    const read = readPending(pending);
    if (read.server.address !== this.server.address) {
      throw new ParleyError(
        "pending_foreign",
        `This pending call belongs to ${read.server.address}, not to ${this.server.address}: connect to that server.`,
      );
    }
    return read;
  }

  #list<Item, Page extends PaginatedResult>(
    method: string,
    itemsOf: (page: Page) => readonly Item[],
    options: RequestOptions,
  ): Pages<Item, Page> {
    return new Pages<Item, Page>(
      (cursor) => this.#request(method, cursor === undefined ? {} : { cursor }, options),
      itemsOf,
      this.#parts.playing.limits.pages,
    );
  }

  /** A request that takes one round. */
  async #request<Result>(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RequestOptions,
  ): Promise<Result> {
    const { sender, capabilities } = this.#parts;
    const asking = { method, params, capabilities };
    const answer = await sender.send(asking, this.#timeout(options), this.#bounded(options));
    switch (answer.kind) {
      case "complete":
        requireList(method, answer.result);
        return answer.result as Result;
      case "error":
      case "status":
        throw failureOf(answer, method);
      default:
        throw new ParleyError(
          "result_invalid",
          `The server answered ${method} with "${answer.kind}", which is no answer to it.`,
        );
    }
  }
}
