import * as oauth from "oauth4webapi";
import type { Awaitable } from "../../protocol/json.js";
import { AuthorizationError } from "./errors.js";
import type { StoredTokens } from "./store.js";
import { type TokenRequest, explained, tokensBy } from "./tokens.js";
import { unlessAborted } from "./unless-aborted.js";

/** What a person is asked to authorize. */
export interface AuthorizeRequest {
  /** The endpoint of the server the authorization is for. */
  readonly server: string;
  /** The authorization server the person is sent to. */
  readonly issuer: string;
  /** The scopes that are asked for; none where the authorization server is to choose. */
  readonly scopes: readonly string[];
  /** Aborts when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/**
 * Sends a person to `url`, in a browser of theirs, and gives the whole URL at which they came back.
 * It is judged here: pass it on as it is. Whatever it rejects with, the call that needed the
 * authorization rejects with.
 */
export type Authorize = (url: URL, request: AuthorizeRequest) => Awaitable<string | URL>;

/** Who does a person's part, and where they come back to. */
export interface Person {
  readonly authorize: Authorize;
  readonly redirectUri: string;
  readonly server: string;
  readonly signal: AbortSignal;
}

/**
 * Gets tokens by an authorization code.
 *
 * 1. Issuer, state and code verifier are of this one request and known to nobody else; the issuer is
 *    that of metadata which has been checked.
 * 2. Nothing is read of a response, its error included, before its `iss` and `state` have been found
 *    right; and a code goes to no token endpoint but its issuer's.
 * 3. Always PKCE with S256, and only where the server says that it has it.
 *
 * Specification: basic/authorization, Authorization Flow Steps; Authorization Response Validation.
 */
export async function tokensByCode(request: TokenRequest, person: Person): Promise<StoredTokens> {
  const { issuer, client, resource, scopes, binding } = request;
  if (issuer.authorization_endpoint === undefined) {
    throw new AuthorizationError(
      "metadata_invalid",
      `The authorization server ${issuer.issuer} has no authorization_endpoint.`,
    );
  }
  if (issuer.code_challenge_methods_supported?.includes("S256") !== true) {
    throw new AuthorizationError(
      "pkce_unsupported",
      `The authorization server ${issuer.issuer} does not say that it supports PKCE with S256: authorization there would not be safe.`,
    );
  }
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(issuer.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: client.id.client_id,
    redirect_uri: person.redirectUri,
    resource,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    // So that the code, too, is of use to nobody else (RFC 9449, section 10).
    ...(binding && { dpop_jkt: binding.thumbprint }),
    // OpenID Connect Core, section 11: without it `offline_access` is ignored.
    ...(scopes.includes("offline_access") && { prompt: "consent" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);

  const { server, signal } = person;
  const asked = { server, issuer: issuer.issuer, scopes, signal };
  const back = await unlessAborted(person.authorize(url, asked), signal);
  const good = checkedResponse(request, back, person.redirectUri, state);
  return tokensBy(
    request,
    (options) =>
      oauth.authorizationCodeGrantRequest(
        issuer,
        client.id,
        client.auth,
        good,
        person.redirectUri,
        verifier,
        options,
      ),
    (answer) => oauth.processAuthorizationCodeResponse(issuer, client.id, answer),
  );
}

/** The parameters of a response that may be acted upon. */
function checkedResponse(
  { issuer, client }: TokenRequest,
  back: string | URL,
  redirectUri: string,
  state: string,
): URLSearchParams {
  const text = String(back);
  if (!URL.canParse(text) || bare(text) !== bare(redirectUri)) {
    throw invalid(
      "What authorize gave is not the redirect URI with the response in its query: give the whole URL.",
    );
  }
  const { searchParams } = new URL(text);
  // The library takes an empty one for none.
  if (searchParams.get("iss") === "") {
    throw invalid(`The response names an issuer other than ${issuer.issuer}.`);
  }
  try {
    const good = oauth.validateAuthResponse(issuer, client.id, searchParams, state);
    if (good.get("code")) return good;
  } catch (error) {
    throw explained(error, issuer, "response_invalid");
  }
  throw invalid("The authorization response has no code.");
}

function invalid(message: string): AuthorizationError {
  return new AuthorizationError("response_invalid", message);
}

function bare(text: string): string {
  const url = new URL(text);
  url.search = "";
  url.hash = "";
  return url.href;
}
