import { isHungUp } from "../../client/platform-code.js";
import { isObject } from "../../protocol/json.js";
import { readBounded } from "../../protocol/read-bounded.js";
import { isSecureUrl } from "../urls.js";
import { AuthorizationError } from "./errors.js";

/** The web's `fetch`, as far as this needs it. */
export type AuthFetch = (url: string, init: RequestInit) => Promise<Response>;

/** How an authorization's own requests are sent. */
export interface AuthHttp {
  /**
   * As `fetch`, within bounds: https, or this machine where the server is on it; no redirects; one
   * size and one time. Rejects with `unsafe_url` or `unreachable`.
   */
  readonly fetch: AuthFetch;
  /** Throws `unsafe_url` for a URL that no person and no request may be sent to. */
  check(url: string, what: string): URL;
}

/** Far more than any of OAuth's documents takes, in bytes. */
const MAX_BYTES = 256 * 1024;

/** Time for one request, in ms: people wait for it. */
const TIMEOUT = 15_000;

/**
 * Requests whose addresses come from documents of strangers.
 *
 * 1. Nothing goes over http but from a server on this machine to this machine: nobody else's
 *    metadata makes a client ask its own machine, and no secret travels in the clear.
 * 2. A redirect is a failure: it would lead where nobody has looked.
 * 3. A body is read to a limit, and a request has an end.
 * 4. A request over a connection that was kept, and was hung up on meanwhile, is sent once more: while
 *    people sign in, connections idle. A code or token that was taken all the same is refused then,
 *    which is what it would have come to.
 *
 * Specification: basic/authorization/security-considerations, Communication Security.
 */
export function authHttp(
  endpoint: string,
  fetch: AuthFetch,
  signal: AbortSignal,
  timeout = TIMEOUT,
): AuthHttp {
  const mayBeLocal = isLocal(new URL(endpoint));
  const check = (text: string, what: string): URL => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url !== undefined && url.username + url.password === "" && url.hash === "";
    if (isPlain && isSecureUrl(url) && (mayBeLocal || !isLocal(url))) return url;
    throw new AuthorizationError(
      "unsafe_url",
      `${what} is not an https URL that can be trusted with authorization: nothing was sent to it.`,
    );
  };
  return {
    check,
    async fetch(text, init) {
      const url = check(text, "An address of the authorization");
      const where = url.origin + url.pathname;
      const time = AbortSignal.timeout(timeout);
      const signals = [signal, time, ...(init.signal ? [init.signal] : [])];
      try {
        const limits = { redirect: "manual", signal: AbortSignal.any(signals) } as const;
        const send = (): Promise<Response> => fetch(url.href, { ...init, ...limits });
        const response = await send().catch((error: unknown) => {
          if (!isHungUp(error)) throw error;
          return send();
        });
        const { status } = response;
        const headers = new Headers(response.headers);
        headers.delete("www-authenticate"); // the body of a refusal says more
        if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
          await response.body?.cancel();
          throw unreachable(where, "it redirects");
        }
        const body = await readBounded(response.body, MAX_BYTES);
        if (body === undefined) throw unreachable(where, `it gave more than ${MAX_BYTES} bytes`);
        return new Response(NO_BODY.has(status) ? null : new Blob([body]), { status, headers });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AuthorizationError) throw error;
        throw unreachable(where, time.aborted ? `nothing within ${timeout} ms` : "no answer");
      }
    },
  };
}

/** Statuses whose responses cannot be made with a body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Also the rest of 127.0.0.0/8, the unspecified address, and every name under `.localhost`. */
function isLocal({ hostname }: URL): boolean {
  return /^(?:(?:.*\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f.*\])$/.test(
    hostname,
  );
}

function unreachable(where: string, why: string): AuthorizationError {
  return new AuthorizationError("unreachable", `${where} could not be asked: ${why}.`);
}

/**
 * A JSON object, fetched; undefined where there is none at that address: servers of single pages
 * answer everything with a page. Rejects where the server fails, or can't be asked.
 */
export async function getDocument(
  http: AuthHttp,
  url: string,
): Promise<Record<string, unknown> | undefined> {
  const response = await http.fetch(url, {
    method: "GET",
    headers: { accept: "application/json" },
  });
  if (response.status >= 500) throw unreachable(url, `it answered ${String(response.status)}`);
  return response.status === 200 ? readObject(response) : undefined;
}

/** The JSON object in a response; undefined where there is none. */
export async function readObject(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = await response.json();
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
