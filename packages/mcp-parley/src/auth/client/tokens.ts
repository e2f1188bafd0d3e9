import * as oauth from "oauth4webapi";
import { scopesIn } from "./challenge.js";
import type { IdentifiedClient } from "./client-auth.js";
import { AuthorizationError, oauthErrorIn, told } from "./errors.js";
import type { AuthHttp } from "./http.js";
import type { Issuer } from "./issuer.js";
import type { StoredTokens } from "./store.js";

/** For whom, from whom and for what tokens are asked. */
export interface TokenRequest {
  readonly issuer: Issuer;
  readonly client: IdentifiedClient;
  /** Sent with every request, as RFC 8707 wants. */
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly http: AuthHttp;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What every request to an authorization server is sent with. */
export function requestOptions({ resource, http }: TokenRequest) {
  return {
    additionalParameters: { resource },
    [oauth.customFetch]: http.fetch,
    [oauth.allowInsecureRequests]: true, // `http` has judged the address
  };
}

/** Gives new tokens for a refresh token. Rejects with `token_refused` where it is no longer good. */
export async function refreshed(
  request: TokenRequest,
  tokens: StoredTokens & { readonly refreshToken: string },
): Promise<StoredTokens> {
  const { issuer, client } = request;
  const { refreshToken, requested, granted } = tokens;
  try {
    const options = requestOptions(request);
    const answer = await oauth.refreshTokenGrantRequest(
      issuer,
      client.id,
      client.auth,
      refreshToken,
      options,
    );
    const response = await oauth.processRefreshTokenResponse(issuer, client.id, answer);
    const fresh = tokensIn(response, request);
    // Where the server gives no other, the same one goes on (RFC 6749, section 6).
    return { refreshToken, ...(granted && { granted }), ...fresh, requested };
  } catch (error) {
    throw explained(error, issuer, "token_invalid");
  }
}

/** Tokens for the client itself. Specification: RFC 6749, section 4.4. */
export async function ownTokens(request: TokenRequest): Promise<StoredTokens> {
  const { issuer, client, resource, scopes } = request;
  const parameters = { resource, ...(scopes.length > 0 && { scope: scopes.join(" ") }) };
  try {
    const answer = await oauth.clientCredentialsGrantRequest(
      issuer,
      client.id,
      client.auth,
      parameters,
      requestOptions(request),
    );
    const response = await oauth.processClientCredentialsResponse(issuer, client.id, answer);
    return tokensIn(response, request);
  } catch (error) {
    throw explained(error, issuer, "token_invalid");
  }
}

/** The tokens in a response of a token endpoint. */
export function tokensIn(
  response: oauth.TokenEndpointResponse,
  { issuer, client, scopes, now }: TokenRequest,
): StoredTokens {
  const { access_token: accessToken, token_type: type, expires_in: seconds, scope } = response;
  // The library also knows tokens that are bound to a key, which is not what was asked for.
  if (type !== "bearer" || !/^[\x21-\x7e]{1,16384}$/.test(accessToken)) {
    throw new AuthorizationError(
      "token_invalid",
      `The authorization server ${issuer.issuer} gave a token that is no bearer token.`,
    );
  }
  return {
    accessToken,
    ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
    ...(seconds !== undefined && { expiresAt: now() + seconds * 1000 }),
    requested: scopes,
    ...(scope !== undefined && { granted: scopesIn(scope) }),
    clientId: client.id.client_id,
  };
}

/**
 * An error of the library's as one of ours. The library's own holds what the server sent, tokens and
 * codes among it, and goes no further.
 */
export function explained(
  error: unknown,
  { issuer }: Issuer,
  fault: "token_invalid" | "response_invalid",
): unknown {
  if (error instanceof oauth.ResponseBodyError) {
    return refusedBy(issuer, "token_refused", error.error, error.error_description);
  }
  if (error instanceof oauth.AuthorizationResponseError) {
    return refusedBy(issuer, "denied", error.error, error.error_description);
  }
  if (
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError
  ) {
    const what = fault === "response_invalid" ? "authorization response" : "token response";
    return new AuthorizationError(
      fault,
      `The ${what} of ${issuer} was not used: ${error.message}.`,
    );
  }
  return error;
}

function refusedBy(
  issuer: string,
  fault: "token_refused" | "denied",
  code: string,
  description: string | undefined,
): AuthorizationError {
  const error = oauthErrorIn(code, description) ?? { error: "error", description: undefined };
  const message = `The authorization server ${issuer} answered ${told(error)}.`;
  return new AuthorizationError(fault, message, error.error);
}
