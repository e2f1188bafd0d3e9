import { chain, own } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import { nameOf } from "../protocol/methods.js";
import type { Principal } from "../state/principal.js";
import type { Reply } from "./context.js";
import { BUSY } from "./failures.js";
import type { Incoming } from "./incoming.js";
import { errorReply } from "./respond.js";

/** A request, as a {@link RateLimit} judges it. */
export interface RateLimitRequest {
  /** Who is calling, as verified; undefined is anonymous, and stands for everyone who is. */
  readonly principal: Principal | undefined;
  readonly method: string;
  /**
   * The tool's or prompt's name or the resource's URI, as the client wrote it: there may be none
   * such. Undefined for methods without one.
   */
  readonly name: string | undefined;
  /**
   * Whether this claims to carry a flow on: it has a `requestState` or answers, of which nothing has
   * been verified yet. Refusing it lets a person's answers wait, so most limits are kinder here.
   */
  readonly isRetry: boolean;
  /** Aborts when the client has gone or cancelled. */
  readonly signal: AbortSignal;
}

/** A refusal that says when to come back. */
export interface RateLimitRefusal {
  /** In how many ms another attempt may succeed. */
  readonly retryAfterMs: number;
}

/**
 * Whether a request may be answered now: true, or false, or when it may. Called once for each
 * request with a sound envelope and a known method, before anything else is done for it, so it
 * must be quick. Where it throws the request fails as an internal error.
 */
export type RateLimit = (request: RateLimitRequest) => Awaitable<boolean | RateLimitRefusal>;

/** Answers a request that keeps within the limit, and refuses one that does not. */
export function withinRate(
  limit: RateLimit,
  incoming: Incoming,
  route: (incoming: Incoming) => Awaitable<Reply>,
): Awaitable<Reply> {
  const { method, params, context } = incoming;
  const asked: RateLimitRequest = {
    principal: context.principal,
    method,
    name: nameOf(method, params),
    isRetry:
      own(params, "requestState") !== undefined || own(params, "inputResponses") !== undefined,
    get signal() {
      return context.signal;
    },
  };
  return chain(limit(asked), (verdict) =>
    verdict === true ? route(incoming) : refused(incoming, verdict || undefined),
  );
}

/** JSON-RPC has no code of its own for this; HTTP has a status. */
function refused({ id }: Incoming, refusal: RateLimitRefusal | undefined): Reply {
  const wait = Math.ceil(refusal?.retryAfterMs ?? 0);
  const message = "Too many requests: try again later";
  if (!(wait > 0 && wait < Infinity)) return errorReply(id, BUSY, message, undefined, 429);
  return {
    ...errorReply(id, BUSY, message, { retryAfterMs: wait }, 429),
    headers: { "retry-after": String(Math.ceil(wait / 1000)) },
  };
}
