import type { CacheHints } from "../protocol/features.js";
import { isObject, own } from "../protocol/json.js";
import { META_BAGGAGE, META_TRACEPARENT, META_TRACESTATE } from "../protocol/meta.js";
import {
  CACHEABLE_METHODS,
  PROMPTS_LIST,
  PROTOCOL_VERSION,
  RESOURCES_LIST,
  RESOURCES_READ,
  RESOURCE_TEMPLATES_LIST,
  TOOLS_LIST,
} from "../protocol/methods.js";
import type { Cancellation } from "./cancel.js";
import type { Clock } from "./clock.js";
import type { Credentials, Link } from "./link.js";
import type { CacheKey, Place, ResponseCache } from "./response-cache.js";
import { requireList } from "./results.js";
import type { Answered, Asking, SendOptions, Sender } from "./sending.js";
import type { ServerChange } from "./subscription-events.js";
import type { ToolHeaders } from "./tool-headers.js";

/** What kept answers are made of. */
export interface KeptAnswersParts {
  readonly sender: Sender;
  readonly cache: ResponseCache;
  readonly link: Link;
  readonly tools: ToolHeaders;
  /** Cancelled when the client closes. */
  readonly closing: Cancellation;
  readonly clock: Clock;
}

/** The lists that are out of date after a change. */
const LISTS = {
  tools: [TOOLS_LIST],
  prompts: [PROMPTS_LIST],
  resources: [RESOURCES_LIST, RESOURCE_TEMPLATES_LIST],
} as const;

/** The longest a result is kept, whatever its server says, in ms: a day. */
const LONGEST = 86_400_000;

/**
 * Answers what a server has allowed to be kept, and has the rest asked of it.
 *
 * 1. Kept are complete results, of the methods that may carry hints, for as long as the hint says.
 *    Never an error, a question, or what a retry with answers or state came to.
 * 2. A private result is kept for one client and for the credentials it was got with: other
 *    credentials, even of the same client, do not find it.
 * 3. A public result is shared with the clients of the same endpoint that share the cache.
 * 4. What was on its way when the server told of a change is not kept.
 *
 * Specification: server/utilities/caching.
 */
export class KeptAnswers implements Sender {
  readonly #parts: KeptAnswersParts;
  readonly #shared: Place | undefined;
  #own: Place;
  /** The headers that results in {@link #own} were got with. */
  #headers: string | undefined;

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts;
    this.#own = parts.cache.newPlace();
    // Only a link that says who calls reaches what others may reach, too.
    if (parts.link.credentials !== undefined) this.#shared = `public ${parts.link.address}`;
  }

  send(asking: Asking, timeout: number, options: SendOptions): Promise<Answered> {
    const { sender, closing } = this.#parts;
    const isOver = closing.isCancelled || options.signal?.aborted === true;
    return isOver || !mayKeep(asking)
      ? sender.send(asking, timeout, options)
      : this.#find(asking, timeout, options);
  }

  /** Forgets what a server has given for one method, all pages of it. */
  forget(method: string): void {
    this.#drop((key) => key.method === method);
  }

  /** Forgets what a change makes out of date. Templates have no notification of their own. */
  heed(change: ServerChange): void {
    if (change.kind === "resource") {
      this.#forgetResource(change.uri);
    } else {
      for (const method of LISTS[change.kind]) this.forget(method);
    }
  }

  /** Forgets what was kept for this client alone. */
  close(): void {
    this.#parts.cache.drop((place) => place === this.#own);
  }

  async #find(asking: Asking, timeout: number, options: SendOptions): Promise<Answered> {
    const { sender, cache, link, tools, clock } = this.#parts;
    const credentials = options.credentials ?? (await link.credentials?.());
    const own = this.#placeFor(credentials);
    const key = keyOf(asking);
    if (options.refresh !== true) {
      const places = this.#shared === undefined ? [own] : [own, this.#shared];
      const text = cache.find(places, key, clock.now());
      if (text !== undefined) {
        const result = JSON.parse(text) as Record<string, unknown>;
        if (link.mirrors) tools.learn(asking.method, result);
        return { kind: "complete", id: 0, isKept: true, result };
      }
    }
    const { drops } = cache;
    const answer = await sender.send(asking, timeout, { ...options, credentials });
    if (answer.kind === "error" && Object.hasOwn(asking.params, "cursor")) {
      this.forget(asking.method); // the pages that led here lead here no more
    }
    if (answer.kind !== "complete" || drops !== cache.drops) return answer;
    const { ttlMs, cacheScope } = hintsIn(answer.result);
    if (ttlMs > 0) {
      requireList(asking.method, answer.result); // what is no result is not worth keeping
      const place = cacheScope === "public" ? (this.#shared ?? own) : own;
      cache.keep(place, key, JSON.stringify(answer.result), clock.now() + ttlMs);
    }
    return answer;
  }

  /** The place for results got with these credentials; what others got is forgotten. */
  #placeFor(credentials: Credentials | undefined): Place {
    const headers = JSON.stringify(Object.entries(credentials?.headers ?? {}).sort());
    if (headers !== this.#headers) {
      if (this.#headers !== undefined) {
        this.close();
        this.#own = this.#parts.cache.newPlace();
      }
      this.#headers = headers;
    }
    return this.#own;
  }

  /** Forgets what a resource holds, and what those hold that may be parts of it, or it of them. */
  #forgetResource(uri: string): void {
    this.#drop(({ method, rest }) => {
      if (method !== RESOURCES_READ) return false;
      const { params } = JSON.parse(rest) as { params: { uri?: unknown } };
      const read = typeof params.uri === "string" ? params.uri : "";
      return uri.startsWith(read) || read.startsWith(uri);
    });
  }

  #drop(isOutdated: (key: CacheKey) => boolean): void {
    this.#parts.cache.drop(
      (place, key) => (place === this.#own || place === this.#shared) && isOutdated(key),
    );
  }
}

/** True for a request whose result depends on nothing but the request. */
function mayKeep({ method, retry }: Asking): boolean {
  return retry === undefined && CACHEABLE_METHODS.has(method);
}

/** A trace says where a request comes from, and has no part in what its result is. */
const TRACE: ReadonlySet<string> = new Set([META_TRACEPARENT, META_TRACESTATE, META_BAGGAGE]);

function keyOf({ method, params, capabilities }: Asking): CacheKey {
  const { _meta: given, ...others } = params;
  const meta = isObject(given)
    ? Object.fromEntries(Object.entries(given).filter(([name]) => !TRACE.has(name)))
    : {};
  const rest = { params: others, meta, capabilities, version: PROTOCOL_VERSION };
  return { method, rest: JSON.stringify(rest) };
}

/** What a result says of its keeping. Anything else than a hint of this revision's keeps nothing, or nothing for others. */
function hintsIn(result: Readonly<Record<string, unknown>>): CacheHints {
  const ttlMs = own(result, "ttlMs");
  const isPublic = own(result, "cacheScope") === "public";
  return {
    ttlMs: typeof ttlMs === "number" && ttlMs > 0 ? Math.min(ttlMs, LONGEST) : 0,
    cacheScope: isPublic ? "public" : "private",
  };
}
