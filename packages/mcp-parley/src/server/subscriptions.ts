/**
 * Subscriptions: long-lived requests whose streams carry changes.
 *
 * 1. The acknowledgement is the first message of a subscription.
 * 2. A subscription is told of what it asked for and nothing else, under its own id.
 * 3. Its end, when the server ends it, is a result; when the client does, silence.
 *
 * Specification: basic/patterns/subscriptions.
 */
import type { Awaitable } from "../protocol/json.js";
import { notificationText } from "../protocol/jsonrpc.js";
import { META_SUBSCRIPTION_ID } from "../protocol/meta.js";
import {
  CANCELLED,
  PROMPTS_CHANGED,
  RESOURCES_CHANGED,
  RESOURCE_UPDATED,
  SUBSCRIPTION_ACKNOWLEDGED,
  TOOLS_CHANGED,
} from "../protocol/methods.js";
import type { Bus, Change } from "./bus.js";
import type { Reply } from "./context.js";
import { BUSY } from "./failures.js";
import type { Incoming } from "./incoming.js";
import { errorReply, malformedReply, resultReply } from "./respond.js";
import type { ResultText } from "./result-text.js";
import { readFilter, wanted } from "./subscription-filter.js";
import type { Filter, Told } from "./subscription-filter.js";

/** How many subscriptions one instance holds open unless told otherwise. */
const MOST_OPEN = 10_000;

const METHODS: Readonly<Record<Told["kind"], string>> = {
  tools: TOOLS_CHANGED,
  prompts: PROMPTS_CHANGED,
  resources: RESOURCES_CHANGED,
  resource: RESOURCE_UPDATED,
};

/** Narrows a filter to what the server can tell this caller of. */
export type Narrow = (filter: Filter, incoming: Incoming) => Filter;

export class Subscriptions {
  readonly #open = new Set<Subscription>();
  readonly #bus: Bus;
  readonly #results: ResultText;
  readonly #narrow: Narrow;
  #stopListening: (() => void) | undefined;

  constructor(bus: Bus, results: ResultText, narrow: Narrow) {
    this.#bus = bus;
    this.#results = results;
    this.#narrow = narrow;
  }

  listen(incoming: Incoming): Awaitable<Reply> {
    const asked = readFilter(incoming.param("notifications"));
    if (typeof asked === "string") {
      return malformedReply(incoming.id, asked);
    }
    if (this.#open.size >= MOST_OPEN) {
      return errorReply(incoming.id, BUSY, "This server has no room for another subscription");
    }
    this.#stopListening ??= this.#bus.subscribe((change) => this.#tell(change));
    return new Promise<Reply>((resolve) => {
      const subscription = new Subscription(incoming, this.#narrow(asked, incoming), () => {
        this.#open.delete(subscription);
        resolve(this.#end(incoming));
      });
      this.#open.add(subscription);
      subscription.begin();
    });
  }

  /** Ends every subscription, gracefully. */
  close(): void {
    for (const subscription of [...this.#open]) subscription.end();
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #tell(change: Change): void {
    for (const subscription of [...this.#open]) subscription.tell(change);
  }

  #end({ id }: Incoming): Reply {
    return resultReply(id, this.#results.complete({ _meta: { [META_SUBSCRIPTION_ID]: id } }));
  }
}

class Subscription {
  readonly #incoming: Incoming;
  readonly #filter: Filter;
  readonly #over: () => void;

  constructor(incoming: Incoming, filter: Filter, over: () => void) {
    this.#incoming = incoming;
    this.#filter = filter;
    this.#over = over;
  }

  begin(): void {
    const { signal } = this.#incoming.context;
    this.#send(SUBSCRIPTION_ACKNOWLEDGED, { notifications: this.#filter });
    if (signal.aborted) this.#over();
    else signal.addEventListener("abort", this.#over, { once: true });
  }

  tell(change: Change): void {
    for (const told of wanted(this.#filter, change)) {
      this.#send(METHODS[told.kind], told.kind === "resource" ? { uri: told.uri } : {});
    }
  }

  end(): void {
    this.#incoming.context.signal.removeEventListener("abort", this.#over);
    this.#send(CANCELLED, { requestId: this.#incoming.id });
    this.#over();
  }

  #send(method: string, params: object): void {
    const _meta = { [META_SUBSCRIPTION_ID]: this.#incoming.id };
    this.#incoming.context.notify(notificationText(method, JSON.stringify({ ...params, _meta })));
  }
}
