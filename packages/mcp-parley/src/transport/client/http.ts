import type { Prover } from "../../client/authorization.js";
import type { Credentials, Incoming, Link, Outgoing } from "../../client/link.js";
import { codeOf, isHungUp } from "../../client/platform-code.js";
import { ParleyError } from "../../protocol/errors.js";
import { type HostHeaders, hostHeaders } from "./headers.js";

/** What an HTTP transport of a client is made from. */
export interface HttpLinkOptions {
  readonly url: string | URL;
  readonly headers?: HostHeaders | undefined;
  readonly prover?: Prover | undefined;
  /** The most one answer may measure, in bytes. */
  readonly responseSize: number;
}

/** The MCP endpoint as a URL. `usage` for anything that is none. */
export function endpoint(given: string | URL): URL {
  let url: URL;
  try {
    url = new URL(given);
  } catch (cause) {
    throw new ParleyError(
      "usage",
      `"${String(given)}" is no URL: give one such as https://example.com/mcp.`,
      {
        cause,
      },
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ParleyError("usage", `An MCP endpoint is an http or https URL, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ParleyError(
      "usage",
      "Leave user name and password out of the URL and send them in headers.authorization.",
    );
  }
  url.hash = "";
  return url;
}

/** Gives the host's own headers for each request: at once where they are fixed. */
function headersOf(
  given: HostHeaders | undefined,
): () => Record<string, string> | Promise<Record<string, string>> {
  if (typeof given === "function") return async () => hostHeaders(await given());
  const fixed = hostHeaders(given ?? {});
  return () => fixed;
}

/** A link over HTTP: `exchange` sends one request, with the host's own headers, and reads the answer. */
export function httpLink(
  url: URL,
  { headers, prover }: HttpLinkOptions,
  exchange: (request: Outgoing, own: Credentials["headers"]) => Promise<Incoming>,
  close: () => void,
): Link {
  const ownHeaders = headersOf(headers);
  return {
    address: url.href,
    mirrors: true,
    credentials() {
      const own = ownHeaders();
      return own instanceof Promise ? own.then((headers) => ({ headers })) : { headers: own };
    },
    send(request) {
      const given = request.credentials?.headers ?? ownHeaders();
      const own = prover === undefined ? given : prover.prove(given);
      return own instanceof Promise
        ? own.then((headers) => exchange(request, headers))
        : exchange(request, own);
    },
    async close() {
      close();
    },
  };
}

/**
 * For a redirect, which is never followed: body and headers were made for this endpoint. The reader
 * learns where it points.
 */
export function redirected(status: number, location: string | undefined, url: URL): ParleyError {
  const target =
    location !== undefined && URL.canParse(location, url.href)
      ? ` to ${new URL(location, url).href}`
      : "";
  return new ParleyError(
    "transport_failed",
    `${url.href} redirects${target} (status ${status}): connect to the final URL if you trust it.`,
  );
}

/** For a request that got no answer, or one that was cut off. */
export function unreachable(url: URL, cause: unknown): ParleyError {
  const detail = cause instanceof Error ? (codeOf(cause) ?? cause.message) : String(cause);
  const unknown = isHungUp(cause) ? " Whether the server did what was asked is not known." : "";
  return new ParleyError("transport_failed", `No answer from ${url.origin}: ${detail}.${unknown}`, {
    cause,
  });
}
