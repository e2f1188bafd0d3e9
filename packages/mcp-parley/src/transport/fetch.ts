import type { Dispatcher } from "../server/context.js";
import { FetchExchange, FetchHead, toResponse } from "./fetch-exchange.js";
import { readRequestBody } from "./fetch-body.js";
import { checkHead } from "./http-head.js";
import { receive } from "./http-message.js";
import { type HttpOptions, httpPolicy } from "./http-policy.js";
import { identify } from "./identify.js";
import { inTurn } from "./in-turn.js";
import { type Timers, systemTimers } from "./timers.js";

/** Settings of {@link toFetchHandler}. */
export type FetchHandlerOptions = HttpOptions;

/** A handler of web-standard requests. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Serves `server` to whatever speaks the web's own Request and Response: Hono, Next.js, Deno, Bun,
 * Workers. It answers every path it is given, keeps nothing between requests and never rejects. A
 * setting that can't be meant is a `usage` error.
 *
 * What a request came over can't be seen from here, so without `allowedHosts` any `Host` passes; a
 * page's request passes only from a loopback origin or one in `allowedOrigins`.
 * Specification: basic/transports/streamable-http.
 */
export function toFetchHandler(
  server: Dispatcher,
  options: FetchHandlerOptions = {},
): FetchHandler {
  return fetchHandler(server, options, systemTimers);
}

/** {@link toFetchHandler} with timers of the caller's. */
export function fetchHandler(
  server: Dispatcher,
  options: FetchHandlerOptions,
  timers: Timers,
): FetchHandler {
  const policy = httpPolicy(options);

  return async (request) => {
    const head = new FetchHead(request);
    const { answer, cors, accepted } = checkHead(policy, head);
    if (answer !== undefined) return toResponse(answer, cors);

    const identity = await identify(policy, head);
    if (identity.answer !== undefined) return toResponse(identity.answer, cors);

    const body = await readRequestBody(policy, request);
    if (body.answer !== undefined) return toResponse(body.answer, cors);
    await new Promise<void>(inTurn);
    const received = receive(body.bytes, head.headers);
    if (received.answer !== undefined) return toResponse(received.answer, cors);

    const { principal } = identity;
    const { headers } = head;
    const start = { policy, principal, accepted, cors, headers, timers };
    const exchange = new FetchExchange(start, request.signal);
    exchange.run(server, received.message, received.id);
    return exchange.response;
  };
}
