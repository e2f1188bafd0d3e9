import { HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION } from "../protocol/codes.js";
import { decodeHeaderValue } from "../protocol/headers.js";
import { isObject, own } from "../protocol/json.js";
import type { Message, RequestId } from "../protocol/jsonrpc.js";
import { META_PROTOCOL_VERSION, unsupportedVersion } from "../protocol/meta.js";
import { PROTOCOL_VERSION, nameOf } from "../protocol/methods.js";
import type { HeaderReader } from "../auth/authenticate.js";
import { type HttpAnswer, refuseMessage } from "./http-answer.js";

/*
 * Headers that repeat what the body says, so that what stands between can route by them. They must
 * not say anything else: a gateway would let pass what the server then does.
 * Specification: basic/transports/streamable-http, Request Metadata and Server Validation.
 *
 * 1. A request carries all of them; a notification need not, but those it carries are held to the
 *    same (which headers a notification has, the revision leaves open).
 * 2. Where the body itself lacks what a header mirrors, the server refuses the body, not this.
 */

type Mirrored = Extract<Message, { kind: "request" | "notification" }>;

/** The answer to a message whose headers don't say what it says; undefined where they do. */
export function checkMirrored(message: Mirrored, headers: HeaderReader): HttpAnswer | undefined {
  return (
    checkVersion(message, headers.get("mcp-protocol-version")) ??
    checkMethod(message, headers.get("mcp-method")) ??
    checkName(message, headers.get("mcp-name"))
  );
}

function checkVersion(message: Mirrored, header: string | null): HttpAnswer | undefined {
  if (header === null) {
    return message.kind === "request" ? versionMissing(message) : undefined;
  }
  const meta = own(message.params, "_meta");
  const declared = isObject(meta) ? own(meta, META_PROTOCOL_VERSION) : undefined;
  if (typeof declared === "string" && declared !== header) {
    return mismatch(message, `MCP-Protocol-Version is not what _meta says`);
  }
  if (header === PROTOCOL_VERSION) return undefined;
  return refuseMessage(
    idOf(message),
    UNSUPPORTED_PROTOCOL_VERSION,
    `Unsupported protocol version. ${SPOKEN}`,
    unsupportedVersion([PROTOCOL_VERSION], header),
  );
}

const SPOKEN = `This server speaks ${PROTOCOL_VERSION}.`;

/**
 * A client of an earlier revision opens with `initialize` and has no way forward: the message may be
 * all its user sees. Specification: basic/versioning, Backward Compatibility.
 */
function versionMissing(message: Mirrored): HttpAnswer {
  const hint = message.method === "initialize" ? " and has no initialize handshake" : "";
  return refuseMessage(
    idOf(message),
    HEADER_MISMATCH,
    `Header mismatch: MCP-Protocol-Version is missing. This server speaks ${PROTOCOL_VERSION}${hint}.`,
    { supported: [PROTOCOL_VERSION] },
  );
}

function checkMethod(message: Mirrored, header: string | null): HttpAnswer | undefined {
  if (header === message.method) return undefined;
  if (header !== null) return mismatch(message, "Mcp-Method is not the body's method");
  return message.kind === "request" ? mismatch(message, "Mcp-Method is missing") : undefined;
}

function checkName(message: Mirrored, header: string | null): HttpAnswer | undefined {
  const name = nameOf(message.method, message.params);
  if (name === undefined) return undefined;
  if (header === null) return mismatch(message, "Mcp-Name is missing");
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined) return mismatch(message, "Mcp-Name is malformed");
  return decoded === name ? undefined : mismatch(message, "Mcp-Name is not the body's name or uri");
}

function mismatch(message: Mirrored, why: string): HttpAnswer {
  return refuseMessage(idOf(message), HEADER_MISMATCH, `Header mismatch: ${why}`);
}

function idOf(message: Mirrored): RequestId | undefined {
  return message.kind === "request" ? message.id : undefined;
}
