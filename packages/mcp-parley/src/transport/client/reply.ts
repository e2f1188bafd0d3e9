import type { Incoming, Outgoing } from "../../client/link.js";
import { ByteCollector } from "../../protocol/byte-collector.js";
import { ParleyError } from "../../protocol/errors.js";
import { readIncoming } from "./incoming.js";
import { eventReader } from "./sse.js";

/** The body of one HTTP answer, as it arrives. */
export interface ReplyReader {
  /** Takes a chunk; gives the answer as soon as it is known. */
  feed(chunk: Uint8Array): Incoming | undefined;
  /** The body is over: gives the answer, or throws where there is none. */
  end(): Incoming;
}

/**
 * Reads the answer to `request` out of an HTTP reply, a JSON object or a stream of events, of at
 * most `limit` bytes (for a stream: characters of one event). `challenge` is its `WWW-Authenticate`,
 * which is kept where it comes with a refusal.
 * Specification: basic/transports/streamable-http, Sending Messages and Receiving Messages.
 */
export function replyReader(
  status: number,
  contentType: string | null | undefined,
  request: Outgoing,
  limit: number,
  challenge?: string | null,
): ReplyReader {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (status === 401) return refusal(status, challenge); // what the body says is not JSON-RPC, whatever it looks like
  if (type === "text/event-stream" && isOk(status)) return streamReader(request, limit);
  if (type === "application/json") {
    const reader = bodyReader(status, request, limit);
    return status === 403 && challenge ? withChallenge(reader, challenge) : reader;
  }
  if (!isOk(status)) return refusal(status, status === 403 ? challenge : undefined);
  throw new ParleyError(
    "transport_failed",
    `The server answered ${request.method} with ${type ?? "no content type"} (status ${status}) ` +
      "where application/json or text/event-stream belongs: check that the URL is the MCP endpoint.",
  );
}

const isOk = (status: number): boolean => status >= 200 && status < 300;

/** Nothing in the body matters. */
function refusal(status: number, challenge: string | null | undefined): ReplyReader {
  const answer: Incoming = { kind: "status", status, challenge: challenge ?? undefined };
  return { feed: () => answer, end: () => answer };
}

/** A JSON-RPC error may say more than the challenge beside it: both are kept. */
function withChallenge(reader: ReplyReader, challenge: string): ReplyReader {
  return {
    feed: (chunk) => reader.feed(chunk),
    end: () => ({ ...reader.end(), challenge }),
  };
}

function bodyReader(status: number, request: Outgoing, limit: number): ReplyReader {
  const body = new ByteCollector();
  return {
    feed(chunk) {
      if (body.size + chunk.byteLength > limit) throw tooLarge(request, limit);
      body.add(chunk);
      return undefined;
    },
    end() {
      const read = readIncoming(body.take(), request);
      if (read.kind === "response") return read;
      if (!isOk(status)) return { kind: "status", status };
      throw unreadable(request, read.kind === "invalid" ? read.why : "It is no response");
    },
  };
}

function streamReader(request: Outgoing, limit: number): ReplyReader {
  let answer: Incoming | undefined;
  const feed = eventReader(limit, (text) => {
    const read = readIncoming(text, request);
    if (read.kind === "notification") request.onNotification?.(read.method, read.params);
    else if (read.kind === "response") answer = read;
    else if (read.kind === "invalid") throw unreadable(request, read.why);
    return answer !== undefined;
  });
  return {
    feed(chunk) {
      try {
        feed(chunk);
      } catch (error) {
        if (error instanceof ParleyError) throw error;
        throw error instanceof RangeError
          ? tooLarge(request, limit)
          : unreadable(request, "Not valid UTF-8");
      }
      return answer;
    },
    end() {
      if (answer !== undefined) return answer;
      throw new ParleyError(
        "transport_failed",
        `The stream of ${request.method} ended without a response. Whether the server did what was asked is not known.`,
      );
    },
  };
}

function unreadable(request: Outgoing, why: string): ParleyError {
  return new ParleyError(
    "result_invalid",
    `The server's answer to ${request.method} is no message of this protocol: ${why}.`,
  );
}

function tooLarge(request: Outgoing, limit: number): ParleyError {
  return new ParleyError(
    "transport_failed",
    `The server's answer to ${request.method} is larger than ${limit} bytes: raise limits.responseSize if that is meant to be.`,
  );
}
