import type { Credentials, Incoming, Link, Outgoing } from "../../client/link.js";
import { ParleyError } from "../../protocol/errors.js";
import { closed } from "./closed.js";
import { requestHeaders } from "./headers.js";
import { type HttpLinkOptions, endpoint, httpLink, redirected, unreachable } from "./http.js";
import { type ReplyReader, replyReader } from "./reply.js";

/** HTTP through the platform's own `fetch`: for browsers, and for every runtime that is not Node. */
export function fetchLink(options: HttpLinkOptions): Link {
  const url = endpoint(options.url);
  const { prover } = options;
  const closing = new AbortController();
  const isClosed = (): boolean => closing.signal.aborted;

  const exchange = async (request: Outgoing, own: Credentials["headers"]): Promise<Incoming> => {
    const response = await fetch(url, {
      method: "POST",
      headers: pairs(requestHeaders(request, own)),
      body: request.text,
      redirect: "manual", // a browser does not even say where one leads
      signal: AbortSignal.any([request.cancellation.signal, closing.signal]),
    });
    const { status, headers, body } = response;
    prover?.heard(headers.get("dpop-nonce"));
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
      throw redirected(status, headers.get("location") ?? undefined, url);
    }
    const type = headers.get("content-type");
    const challenge = headers.get("www-authenticate");
    return receive(body, replyReader(status, type, request, options.responseSize, challenge));
  };

  const send = async (request: Outgoing, own: Credentials["headers"]): Promise<Incoming> => {
    if (isClosed()) throw closed();
    try {
      return await exchange(request, own);
    } catch (error) {
      if (error instanceof ParleyError) throw error;
      throw isClosed() ? closed() : unreachable(url, error);
    }
  };

  return httpLink(url, options, send, () => closing.abort());
}

/** Reads a reply until its answer is there; what follows it is of no interest. */
async function receive(
  body: ReadableStream<Uint8Array> | null,
  reply: ReplyReader,
): Promise<Incoming> {
  const chunks = body?.getReader();
  try {
    for (;;) {
      const next = await chunks?.read();
      if (next === undefined || next.done) return reply.end();
      const answer = reply.feed(next.value);
      if (answer !== undefined) return answer;
    }
  } finally {
    // Cutting off a stream that has not ended is how a request is cancelled, so a fault does it too.
    chunks?.cancel().catch(() => undefined);
  }
}

/** Names and values in turn, as `fetch` takes them. */
function pairs(headers: readonly string[]): [string, string][] {
  return Array.from({ length: headers.length / 2 }, (_none, index) => [
    headers[2 * index] ?? "",
    headers[2 * index + 1] ?? "",
  ]);
}
