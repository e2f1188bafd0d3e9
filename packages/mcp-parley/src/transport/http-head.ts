import type { HeaderReader, HttpHead } from "../auth/authenticate.js";
import { allowOrigin, preflight } from "./cors.js";
import { isLoopbackName, isSameOrigin, readHost } from "./hosts.js";
import { type HeaderFields, type HttpAnswer, refuse } from "./http-answer.js";
import type { HttpPolicy } from "./http-policy.js";
import { type Accepted, acceptedBy, isJson } from "./media-type.js";

/** A request's head, and how it came here. */
export interface ArrivingHead extends HttpHead {
  /** The host it names: the `Host` header, or what stands for it in another version of HTTP. */
  readonly host: string | null;
  /** True where it is known to have come over a loopback connection. */
  readonly overLoopback: boolean;
}

/** What the checks of a request's head came to. */
export interface HeadVerdict {
  /** The answer, where the request ends here. */
  readonly answer: HttpAnswer | undefined;
  /** Headers every answer to this request carries. */
  readonly cors: HeaderFields | undefined;
  readonly accepted: Accepted;
}

/**
 * Everything that can be said of a request before its body is read, in this order: method, host,
 * origin, size, content type, accepted types.
 */
export function checkHead(policy: HttpPolicy, head: ArrivingHead): HeadVerdict {
  const { headers } = head;
  const origin = headers.get("origin");
  const crossOrigin = origin !== null && policy.origins.has(origin);
  const isPreflight = head.method === "OPTIONS" && policy.origins.size > 0;

  if (head.method !== "POST" && !isPreflight) return refused(methodNotAllowed(policy));
  const stranger = checkSender(policy, head, origin);
  if (stranger !== undefined) return refused(stranger);

  const cors = crossOrigin ? allowOrigin(origin) : undefined;
  if (isPreflight) {
    return refused(crossOrigin ? preflight(headers) : methodNotAllowed(policy), cors);
  }
  const unreadable = checkBody(policy, headers);
  if (unreadable !== undefined) return refused(unreadable, cors);

  const accepted = acceptedBy(headers.get("accept") ?? undefined);
  if (!accepted.json && !accepted.stream) return refused(NOT_ACCEPTABLE, cors);
  return { answer: undefined, cors, accepted };
}

/** Host and origin. Specification: basic/transports/streamable-http, Security. */
function checkSender(
  policy: HttpPolicy,
  { host, overLoopback }: ArrivingHead,
  origin: string | null,
): HttpAnswer | undefined {
  const known = host !== null && isKnownHost(policy, host);
  if (!known && (policy.hosts !== undefined || overLoopback)) return FOREIGN_HOST;
  if (origin === null || policy.origins.has(origin)) return undefined;
  // A name that is not known may be an attacker's, pointed at this server: then its page has the
  // "same" origin.
  return known && isSameOrigin(origin, host) ? undefined : FOREIGN_ORIGIN;
}

function isKnownHost(policy: HttpPolicy, header: string): boolean {
  const host = readHost(header);
  if (host === undefined) return false;
  if (policy.hosts === undefined) return isLoopbackName(host.name);
  return policy.hosts.some(
    ({ name, port }) => name === host.name && (port === "" || port === host.port),
  );
}

function checkBody(policy: HttpPolicy, headers: HeaderReader): HttpAnswer | undefined {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > policy.maxBodyBytes) return tooLarge(policy);
  if (!isJson(headers.get("content-type") ?? undefined)) return NOT_JSON;
  const encoding = headers.get("content-encoding");
  return encoding === null || encoding.toLowerCase() === "identity" ? undefined : ENCODED;
}

/** The body is larger than this server reads. */
export function tooLarge(policy: HttpPolicy): HttpAnswer {
  return refuse(413, `The body is larger than ${policy.maxBodyBytes} bytes`);
}

function methodNotAllowed(policy: HttpPolicy): HttpAnswer {
  const allow = policy.origins.size > 0 ? "POST, OPTIONS" : "POST";
  return refuse(405, "This endpoint takes POST only", { allow });
}

const FOREIGN_HOST = refuse(
  403,
  "This Host is not one this server answers to; its operator can list it in allowedHosts",
);

const FOREIGN_ORIGIN = refuse(
  403,
  "Pages of this Origin may not call this server; its operator can list it in allowedOrigins",
);

const NOT_JSON = refuse(415, "The body must be application/json in UTF-8");

const ENCODED = refuse(415, "The body must not be compressed", { "accept-encoding": "identity" });

const NOT_ACCEPTABLE = refuse(
  406,
  "Answers are application/json or text/event-stream; list both in Accept",
);

const NOTHING: Accepted = { json: false, stream: false };

function refused(answer: HttpAnswer, cors?: HeaderFields): HeadVerdict {
  return { answer, cors, accepted: NOTHING };
}
