import type { Awaitable } from "../protocol/json.js";
import type { Principal } from "../state/principal.js";
import type { ResourceMetadata } from "./metadata.js";

/** The headers of a request. Names are looked up whatever their case; an absent one is null. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** What is known of a request before its body is read. */
export interface HttpHead {
  readonly method: string;
  /** The request's target: a path with its query under `node:http`, a whole URL under fetch. */
  readonly url: string;
  /** As the client, or whoever stands before the server, sent them. Nothing here is verified. */
  readonly headers: HeaderReader;
}

/** An answer in place of the server's: the HTTP status, 400 or above, and headers such as `WWW-Authenticate`. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Says who is calling, from the request's headers: a principal, undefined for an anonymous caller
 * that may go on as one, or a refusal that is sent as it stands. Runs once per POST that passed the
 * checks of method, host, origin, size and type, and before the body is read. Where it throws or
 * rejects, or names somebody without a subject, the request is refused with 500 and nothing runs.
 * A function of your own is enough; `bearer` of `mcp-parley/auth` makes one for OAuth.
 */
export interface Authenticate {
  (request: HttpHead): Awaitable<Principal | Refusal | undefined>;
  /**
   * The value of `WWW-Authenticate` for a caller who lacks scopes that a tool, prompt or resource
   * needs. `known` is false for an anonymous caller. Default: a `Bearer` challenge with the scopes.
   */
  readonly challenge?: (scopes: readonly string[], known: boolean) => string;
  /** Where clients learn how to get a token; `serve` answers at its paths. */
  readonly metadata?: ResourceMetadata;
}

/** Tells the two kinds of answer an {@link Authenticate} gives apart. */
export function isRefusal(answer: Principal | Refusal): answer is Refusal {
  return "status" in answer;
}
