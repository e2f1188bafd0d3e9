import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import { type Clock, systemClock } from "../../client/clock.js";
import type { Credentials, Incoming, Link, Outgoing } from "../../client/link.js";
import { SUBSCRIPTIONS_LISTEN } from "../../protocol/methods.js";
import { closed } from "./closed.js";
import { requestHeaders } from "./headers.js";
import { type HttpLinkOptions, endpoint, httpLink, redirected, unreachable } from "./http.js";
import { type PoolShare, poolShare } from "./pool.js";
import { Receipt } from "./receipt.js";
import { replyReader } from "./reply.js";

/**
 * HTTP on Node, over connections that are kept alive and shared by all clients of an origin. What a
 * subscription occupies for as long as it lasts is a connection of its own.
 */
export function nodeHttpLink(options: HttpLinkOptions, clock: Clock = systemClock): Link {
  const url = endpoint(options.url);
  const { prover } = options;
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  const { hostname, port, path } = urlToHttpOptions(url);
  let pool: PoolShare | undefined;
  let isClosed = false;

  const exchange = (request: Outgoing, own: Credentials["headers"]): Promise<Incoming> =>
    new Promise((resolve, reject) => {
      if (isClosed) throw closed();
      request.cancellation.stopIfCancelled();
      pool ??= poolShare(url);
      const agent = request.method === SUBSCRIPTIONS_LISTEN ? false : pool.agent;
      const headers = requestHeaders(request, own);
      // Given as one list they are written as they are, so that what Node would add is here.
      headers.push("host", url.host, "content-length", String(Buffer.byteLength(request.text)));
      const sent = open({ hostname, port, path, method: "POST", agent, headers });
      const fail = (error: unknown): void => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason of an abort is the caller's own
        reject(error);
        sent.destroy();
      };
      const lost = (cause: unknown): void => fail(isClosed ? closed() : unreachable(url, cause));
      sent.on("close", request.cancellation.onCancel(fail));
      sent.on("error", lost);
      sent.on("response", (response) => {
        const { statusCode: status = 0 } = response;
        prover?.heard(response.headers["dpop-nonce"]);
        try {
          if (status >= 300 && status < 400) {
            throw redirected(status, response.headers.location, url);
          }
          const type = contentTypeIn(response.rawHeaders);
          const challenge = status < 400 ? undefined : response.headers["www-authenticate"];
          const reader = replyReader(status, type, request, options.responseSize, challenge);
          const hangUp = (): void => void response.destroy();
          const resting = (callOff: () => void): void => void response.on("close", callOff);
          const receipt = new Receipt(reader, { resolve, fail, hangUp, resting }, clock);
          response.on("data", (chunk: Uint8Array) => receipt.feed(chunk));
          response.on("end", () => receipt.end());
          response.on("error", lost);
        } catch (error) {
          fail(error);
        }
      });
      sent.end(request.text);
    });

  return httpLink(url, options, exchange, () => {
    isClosed = true;
    pool?.release();
  });
}

/** The first content type in a list of names and values: one does not need all headers sorted for it. */
function contentTypeIn(headers: readonly string[]): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at];
    if (name?.length === CONTENT_TYPE.length && name.toLowerCase() === CONTENT_TYPE) {
      return headers[at + 1];
    }
  }
  return undefined;
}

const CONTENT_TYPE = "content-type";
