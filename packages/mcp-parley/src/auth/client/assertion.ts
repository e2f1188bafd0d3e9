import { ParleyError } from "../../protocol/errors.js";
import type { Awaitable } from "../../protocol/json.js";
import type { StoredTokens } from "./store.js";
import { type TokenRequest, tokensByGrant } from "./tokens.js";
import { unlessAborted } from "./unless-aborted.js";

/** What an assertion is wanted for. */
export interface AssertionRequest {
  /** The endpoint of the server the authorization is for. */
  readonly server: string;
  /** The issuer identifier of who is shown the assertion: its audience, as a rule. */
  readonly issuer: string;
  /** Aborts when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/**
 * Gives an assertion that is good now. Asked anew each time tokens are needed. Whatever it rejects
 * with, the call that needed the authorization rejects with.
 */
export type GiveAssertion = (request: AssertionRequest) => Awaitable<string>;

/** The assertion a host's function gives. */
export async function assertionBy(give: GiveAssertion, request: AssertionRequest): Promise<string> {
  const assertion: unknown = await unlessAborted(give(request), request.signal);
  if (typeof assertion === "string" && assertion !== "") return assertion;
  throw new ParleyError("usage", "There was no assertion: give it as a text that is not empty.");
}

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Tokens for an assertion about whom they are for. Specification: RFC 7523, section 2.1. */
export function tokensByAssertion(request: TokenRequest, assertion: string): Promise<StoredTokens> {
  return tokensByGrant(request, JWT_BEARER, { assertion });
}
