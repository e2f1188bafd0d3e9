import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import { type Clock, systemClock } from "../client/clock.js";
import type { Credentials, Incoming, Link, Outgoing } from "../client/link.js";
import { SUBSCRIPTIONS_LISTEN } from "../protocol/methods.js";
import { closed } from "./client-closed.js";
import { requestHeaders } from "./client-headers.js";
import {
  type HttpLinkOptions,
  bodyOf,
  endpoint,
  headersOf,
  redirected,
  unreachable,
} from "./client-http.js";
import { type PoolShare, poolShare } from "./client-pool.js";
import { type ReplyReader, replyReader } from "./client-reply.js";

/** How long a stream may stay open once its response is there, in milliseconds. */
const REST = 1_000;

/**
 * HTTP on Node, over connections that are kept alive and shared by all clients of an origin. What a
 * subscription occupies for as long as it lasts is a connection of its own.
 */
export function nodeHttpLink(options: HttpLinkOptions, clock: Clock = systemClock): Link {
  const url = endpoint(options.url);
  const ownHeaders = headersOf(options.headers);
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  const { hostname, port, path } = urlToHttpOptions(url);
  const target = { hostname, port, path, method: "POST" };
  const underWay = new Set<ClientRequest>();
  let pool: PoolShare | undefined;
  let isClosed = false;

  const exchange = (request: Outgoing, own: Credentials["headers"]): Promise<Incoming> =>
    new Promise((resolve, reject) => {
      if (isClosed) throw closed();
      request.cancellation.stopIfCancelled();
      pool ??= poolShare(url);
      const agent = request.method === SUBSCRIPTIONS_LISTEN ? false : pool.agent;
      const sent = open({ ...target, agent, headers: requestHeaders(request, own) });
      underWay.add(sent);
      const fail = (error: unknown): void => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason of an abort is the caller's own
        reject(error);
        sent.destroy();
      };
      const lost = (cause: unknown): void => fail(isClosed ? closed() : unreachable(url, cause));
      const leave = request.cancellation.onCancel(fail);
      sent.on("close", () => {
        underWay.delete(sent);
        leave();
      });
      sent.on("error", lost);
      sent.on("response", (response) => {
        const { statusCode: status = 0, headers: received } = response;
        try {
          if (status >= 300 && status < 400) throw redirected(status, received.location, url);
          const type = received["content-type"];
          const reader = replyReader(status, type, request, options.responseSize);
          receive(response, reader, { resolve, fail, lost, clock });
        } catch (error) {
          fail(error);
        }
      });
      sent.end(bodyOf(request));
    });

  return {
    address: url.href,
    mirrors: true,
    credentials() {
      const own = ownHeaders();
      return own instanceof Promise ? own.then((headers) => ({ headers })) : { headers: own };
    },
    send(request) {
      const own = request.credentials?.headers ?? ownHeaders();
      return own instanceof Promise
        ? own.then((headers) => exchange(request, headers))
        : exchange(request, own);
    },
    async close() {
      isClosed = true;
      pool?.release();
      for (const sent of underWay) sent.destroy();
    },
  };
}

interface Receiver {
  readonly resolve: (answer: Incoming) => void;
  readonly fail: (error: unknown) => void;
  readonly lost: (cause: unknown) => void;
  readonly clock: Clock;
}

/** Reads a reply to its end: a connection whose last reply was read whole is used again. */
function receive(response: IncomingMessage, reader: ReplyReader, to: Receiver): void {
  let rest: (() => void) | undefined;
  response.on("data", (chunk: Uint8Array) => {
    if (rest !== undefined) return;
    try {
      const answer = reader.feed(chunk);
      if (answer === undefined) return;
      to.resolve(answer);
      rest = to.clock.after(REST, () => response.destroy());
    } catch (error) {
      to.fail(error);
    }
  });
  response.on("end", () => {
    if (rest !== undefined) return;
    try {
      to.resolve(reader.end());
    } catch (error) {
      to.fail(error);
    }
  });
  response.on("error", to.lost);
  response.on("close", () => rest?.());
}
