import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  UNSUPPORTED_PROTOCOL_VERSION,
} from "../protocol/codes.js";
import { isObject, isPromiseLike, own } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import { readMessage } from "../protocol/jsonrpc.js";
import type { RequestId } from "../protocol/jsonrpc.js";
import { readEnvelope, unsupportedVersion } from "../protocol/meta.js";
import { PROTOCOL_VERSION } from "../protocol/methods.js";
import type { Logger } from "../flow/options.js";
import type { Dispatcher, Reply, RequestContext } from "./context.js";
import { Incoming } from "./incoming.js";
import { withinRate } from "./rate-limit.js";
import type { RateLimit } from "./rate-limit.js";
import { errorReply, internalReply } from "./respond.js";

/** How one method is answered. */
export type Route = (incoming: Incoming) => Awaitable<Reply>;

/**
 * The revisions this server speaks. An older client that cannot say what it wants is told them too.
 * Specification: basic/versioning.
 */
export const SUPPORTED_VERSIONS: readonly string[] = [PROTOCOL_VERSION];

const NO_PARAMS: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Reads a message's envelope and routes it by method. A message is judged in this order: its
 * shape, its envelope, its revision, its method.
 */
export class Dispatch implements Dispatcher {
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #log: Logger;
  readonly #limit: RateLimit | undefined;

  constructor(routes: ReadonlyMap<string, Route>, log: Logger, limit?: RateLimit) {
    this.#routes = routes;
    this.#log = log;
    this.#limit = limit;
  }

  dispatch(message: unknown, context: RequestContext): Awaitable<Reply | undefined> {
    const read = readMessage(message);
    switch (read.kind) {
      case "request":
        return this.#request(read.id, read.method, read.params, context);
      case "notification":
        return undefined;
      case "response":
        return errorReply(undefined, INVALID_REQUEST, "A server takes requests, not responses");
      case "invalid":
        return errorReply(read.id, INVALID_REQUEST, `Invalid request: ${read.why}`);
    }
  }

  #request(
    id: RequestId,
    method: string,
    given: unknown,
    context: RequestContext,
  ): Awaitable<Reply> {
    const params = isObject(given) ? given : NO_PARAMS;
    const read = readEnvelope(given);
    if (!read.ok) {
      return method === "initialize"
        ? fromAnotherEra(id, params)
        : errorReply(id, INVALID_PARAMS, `Invalid params: ${read.why}`, undefined, 400);
    }
    const { protocolVersion } = read.envelope;
    if (!SUPPORTED_VERSIONS.includes(protocolVersion)) {
      return unsupported(id, protocolVersion);
    }
    const route = this.#routes.get(method);
    if (route === undefined) return unknownMethod(id, method);
    return this.#answer(route, new Incoming(id, method, params, read.envelope, context));
  }

  #answer(route: Route, incoming: Incoming): Awaitable<Reply> {
    const broken = (error: unknown): Reply => {
      this.#log.error(`${incoming.method}: failed in a way that was not foreseen`, error);
      return internalReply(incoming.id);
    };
    try {
      const reply =
        this.#limit === undefined ? route(incoming) : withinRate(this.#limit, incoming, route);
      return isPromiseLike(reply) ? reply.then(undefined, broken) : reply;
    } catch (error) {
      return broken(error);
    }
  }
}

/** A client that begins with a handshake is told which revisions it would have to speak. */
function fromAnotherEra(id: RequestId, params: Readonly<Record<string, unknown>>): Reply {
  const version = own(params, "protocolVersion");
  return unsupported(id, typeof version === "string" ? version : "unknown");
}

function unsupported(id: RequestId, requested: string): Reply {
  return errorReply(
    id,
    UNSUPPORTED_PROTOCOL_VERSION,
    `Unsupported protocol version. This server speaks ${SUPPORTED_VERSIONS.join(", ")}.`,
    unsupportedVersion(SUPPORTED_VERSIONS, requested.slice(0, 64)),
  );
}

/** The reply to a method this server does not have. */
export function unknownMethod(id: RequestId, method: string): Reply {
  const era =
    method === "initialize" ? `. This server speaks ${SUPPORTED_VERSIONS.join(", ")}.` : "";
  return errorReply(id, METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 64)}${era}`);
}
