import type { Outgoing } from "../../client/link.js";
import { readMessage } from "../../protocol/jsonrpc.js";
import type { Message } from "../../protocol/jsonrpc.js";
import { parseBytes, parseJson } from "../../protocol/parse.js";

/** What a message of the server's is to the request on whose own stream it came. */
export type Read =
  | { kind: "response"; response: Readonly<Record<string, unknown>> }
  | { kind: "notification"; method: string; params: Readonly<Record<string, unknown>> }
  /** A request of the server's: it is not served, whatever it asks (basic/transports/streamable-http). */
  | { kind: "request" }
  | { kind: "invalid"; why: string };

/**
 * Deeper than any result has to be. And a tool's text that was cut in the middle of a character is
 * the server's fault, but no reason to lose all that the tool did.
 */
const LIMITS = { maxDepth: 512, loneSurrogates: true };

/** Parses one message of a server's. */
export function readText(text: string | Uint8Array): Message {
  const parsed = typeof text === "string" ? parseJson(text, LIMITS) : parseBytes(text, LIMITS);
  if (!parsed.ok) return { kind: "invalid", id: parsed.id, why: parsed.why };
  return readMessage(parsed.value);
}

/** Reads a message that came on the stream of `request`. An error may come without an id. */
export function readIncoming(text: string | Uint8Array, request: Outgoing): Read {
  const message = readText(text);
  switch (message.kind) {
    case "response": {
      const { id, response } = message;
      if (id === request.id || id === undefined) return { kind: "response", response };
      return { kind: "invalid", why: "It answers another request" };
    }
    case "notification":
      return message;
    case "request":
      return { kind: "request" };
    case "invalid":
      return { kind: "invalid", why: message.why };
  }
}
