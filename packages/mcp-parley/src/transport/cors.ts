import type { HeaderReader } from "../auth/authenticate.js";
import type { HeaderFields, HttpAnswer } from "./http-answer.js";

/** What lets a page of an allowed origin read an answer, and learn why it was refused one. */
export function allowOrigin(origin: string): HeaderFields {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after, www-authenticate",
    vary: "origin",
  };
}

/** A list of header names, short enough to be one a browser wrote. */
const HEADER_NAMES = /^[a-z0-9!#$%&'*+.^_`|~, -]{1,2048}$/i;

/**
 * The answer to a preflight from an allowed origin. It may send whatever headers it asks for, since
 * tools name their own (`Mcp-Param-…`), but no cookies: those are never asked for.
 */
export function preflight(headers: HeaderReader): HttpAnswer {
  const asked = headers.get("access-control-request-headers");
  const allowed: Record<string, string> = {
    "access-control-allow-methods": "POST",
    "access-control-max-age": "600",
  };
  if (asked !== null && HEADER_NAMES.test(asked)) allowed["access-control-allow-headers"] = asked;
  return { status: 204, text: undefined, headers: allowed };
}
