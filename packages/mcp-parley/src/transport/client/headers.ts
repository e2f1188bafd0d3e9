import type { Access } from "../../client/authorization.js";
import type { Outgoing } from "../../client/link.js";
import { ParleyError } from "../../protocol/errors.js";
import { encodeHeaderValue, paramText } from "../../protocol/headers.js";
import { PROTOCOL_VERSION, nameOf } from "../../protocol/methods.js";
import { argumentAt } from "../../protocol/param-headers.js";

/**
 * The headers of one request, those that mirror its body included: the one place where they are
 * made. Names and values in turn, which is how HTTP clients read them fastest. `extra` are the
 * host's own, such as a bearer token; it cannot speak for the body.
 * Specification: basic/transports/streamable-http, Request Metadata; Custom Headers.
 */
export function requestHeaders(
  request: Outgoing,
  extra: Readonly<Record<string, string>>,
): string[] {
  const headers = [
    "content-type",
    "application/json",
    "accept",
    "application/json, text/event-stream",
    "mcp-protocol-version",
    PROTOCOL_VERSION,
    "mcp-method",
    request.method,
  ];
  const name = nameOf(request.method, request.params);
  if (name !== undefined) headers.push("mcp-name", encodeHeaderValue(name));
  if (request.mirrored !== undefined) {
    for (const { header, path } of request.mirrored) {
      const text = paramText(argumentAt(request.params["arguments"], path));
      if (text !== undefined) headers.push(header.toLowerCase(), encodeHeaderValue(text));
    }
  }
  for (const [own, value] of Object.entries(extra)) headers.push(own, value);
  return headers;
}

/** The host's own headers: fixed, or found anew for each request, as for a token that is renewed. */
export type HostHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | PromiseLike<Readonly<Record<string, string>>>);

/** What a host sends, and with it what its access to the server asks for. */
export function withAccess(
  given: HostHeaders | undefined,
  access: Access | undefined,
): HostHeaders | undefined {
  if (access === undefined) return given;
  return async () => ({
    ...(typeof given === "function" ? await given() : given),
    ...(await access.headers()),
  });
}

/** Headers a host may not set: those that mirror the body, and those that frame the request. */
const OURS =
  /^(?:mcp-(?:protocol-version|method|name|param-.*|session-id)|content-type|content-length|transfer-encoding|connection|accept|host)$/;

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The host's headers in lower case. `usage` for one that is none, or not the host's to set. */
export function hostHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (OURS.test(lower)) {
      throw new ParleyError(
        "usage",
        `The header ${name} is set by the client itself: leave it out.`,
      );
    }
    if (!NAME.test(lower) || typeof value !== "string" || !VALUE.test(value)) {
      // The value may be a secret, and is not repeated.
      throw new ParleyError("usage", `The header ${JSON.stringify(name)} is none HTTP can send.`);
    }
    headers[lower] = value;
  }
  return headers;
}
