import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import { type Clock, systemClock } from "../client/clock.js";
import type { Incoming, Link, Outgoing } from "../client/link.js";
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
import { type ReplyReader, replyReader } from "./client-reply.js";

/**
 * How long an idle connection is kept, in milliseconds: less than the 5 s after which Node's own
 * servers hang up, so that a request seldom meets a connection that is being closed. One that does
 * is not sent again by itself: the server may have acted on it.
 */
const IDLE = 4_000;

/** How long a stream may stay open once its response is there, in milliseconds. */
const REST = 1_000;

/** HTTP on Node, over a pool of connections that are kept alive. */
export function nodeHttpLink(options: HttpLinkOptions, clock: Clock = systemClock): Link {
  const url = endpoint(options.url);
  const ownHeaders = headersOf(options.headers);
  const secure = url.protocol === "https:";
  const pooling = { keepAlive: true, timeout: IDLE };
  const agent = secure ? new HttpsAgent(pooling) : new HttpAgent(pooling);
  const open = secure ? httpsRequest : httpRequest;
  const { hostname, port, path } = urlToHttpOptions(url);
  const target = { hostname, port, path, method: "POST", agent };
  let isClosed = false;

  const exchange = (request: Outgoing, own: Record<string, string>): Promise<Incoming> =>
    new Promise((resolve, reject) => {
      if (isClosed) throw closed();
      request.cancellation.stopIfCancelled();
      const sent = open({ ...target, headers: requestHeaders(request, own) });
      const fail = (error: unknown): void => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason of an abort is the caller's own
        reject(error);
        sent.destroy();
      };
      const lost = (cause: unknown): void => fail(isClosed ? closed() : unreachable(url, cause));
      sent.on("close", request.cancellation.onCancel(fail));
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
    send(request) {
      const own = ownHeaders();
      return own instanceof Promise
        ? own.then((headers) => exchange(request, headers))
        : exchange(request, own);
    },
    async close() {
      isClosed = true;
      agent.destroy();
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
