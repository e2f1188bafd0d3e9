import type { Awaitable } from "../protocol/json.js";
import type { Principal } from "../state/principal.js";
import { mayBeAnonymous } from "./anonymous.js";
import type { Authenticate, HttpHead, Refusal } from "./authenticate.js";
import { type Challenge, bearerChallenge, scopeChallenge } from "./challenge.js";
import { readCredentials } from "./credentials.js";
import { FAILURE_REST, KeysUnavailable } from "./issuer-keys.js";
import type { ResourceMetadata } from "./metadata.js";
import type { BearerRules } from "./bearer-rules.js";
import { type TokenFault, verifyToken } from "./verify-token.js";

/** What {@link bearer} gives: for the `authenticate` of an HTTP handler, with what belongs to it. */
export interface BearerAuthenticate extends Authenticate {
  readonly challenge: (scopes: readonly string[], known: boolean) => string;
  readonly metadata: ResourceMetadata;
}

/**
 * An `authenticate` over access tokens.
 *
 * 1. A token is taken from the `Authorization` header alone, and goes nowhere from here: not into
 *    the principal, not into a log, not into an answer.
 * 2. Whoever shows credentials is known by them or refused, where anonymous callers may go on too.
 * 3. Where it can't be found out whether a token is good, it is not.
 */
export function bearerBy(rules: BearerRules): BearerAuthenticate {
  const { scopes, metadata, anonymous, onRefusal } = rules;
  const metadataUrl = metadata.url;
  const refuse = (status: number, challenge: Challenge): Refusal => ({
    status,
    headers: { "www-authenticate": bearerChallenge({ ...challenge, metadataUrl }) },
  });
  const unknown = refuse(401, { scopes });

  const refuseToken = (fault: TokenFault): Refusal => {
    onRefusal?.({ fault });
    const description =
      fault === "expired" ? "The access token has expired" : "The access token is not valid here";
    return refuse(401, { error: "invalid_token", description, scopes });
  };

  const judge = async (token: string): Promise<Principal | Refusal> => {
    let caller: Principal | TokenFault;
    try {
      caller = await verifyToken(token, rules);
    } catch (error) {
      if (error instanceof KeysUnavailable) return UNAVAILABLE;
      throw error;
    }
    if (typeof caller === "string") return refuseToken(caller);
    const granted = caller.scopes ?? [];
    if (scopes.every((scope) => granted.includes(scope))) return caller;
    const headers = { "www-authenticate": scopeChallenge(scopes, true, metadataUrl) };
    return { status: 403, headers };
  };

  const authenticate = (head: HttpHead): Awaitable<Principal | Refusal | undefined> => {
    const credentials = readCredentials(head.headers.get("authorization"));
    switch (credentials.kind) {
      case "token":
        return judge(credentials.token);
      case "none":
        return mayBeAnonymous(anonymous, head.headers) ? undefined : unknown;
      case "foreign":
        return unknown;
      case "too_long":
        return refuseToken("too_long");
      case "malformed":
        return refuse(400, { error: "invalid_request", description: "One access token, please" });
    }
  };

  const challenge = (needed: readonly string[], known: boolean): string =>
    scopeChallenge([...new Set([...scopes, ...needed])], known, metadataUrl);
  return Object.freeze(Object.assign(authenticate, { challenge, metadata }));
}

/** No issuer's fault is the client's: it may come back when this server may ask again. */
const UNAVAILABLE: Refusal = {
  status: 503,
  headers: { "retry-after": String(Math.ceil(FAILURE_REST / 1000)) },
};
