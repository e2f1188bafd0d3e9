import * as oauth from "oauth4webapi";
import { scopesIn } from "./challenge.js";
import type { IdentifiedClient } from "./client-auth.js";
import type { Binding } from "./dpop.js";
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
  /** What the tokens are to be bound to; undefined for bearer tokens. */
  readonly binding: Binding | undefined;
}

/** What every request to a token endpoint is sent with. */
function requestOptions({ resource, http, binding }: TokenRequest) {
  return {
    additionalParameters: { resource },
    [oauth.customFetch]: http.fetch,
    [oauth.allowInsecureRequests]: true, // `http` has judged the address
    ...(binding && { DPoP: binding.handle }),
  };
}

/**
 * Sends a request to a token endpoint and reads its answer. Where the server wants a nonce in the
 * proof, the request is sent once more with the one it gave, and no further (RFC 9449, section 8).
 */
async function answered(
  request: TokenRequest,
  send: (options: ReturnType<typeof requestOptions>) => Promise<Response>,
  read: (answer: Response) => Promise<oauth.TokenEndpointResponse>,
): Promise<oauth.TokenEndpointResponse> {
  const options = requestOptions(request);
  const ask = async (): Promise<oauth.TokenEndpointResponse> => read(await send(options));
  try {
    return await ask().catch((error: unknown) => {
      if (request.binding !== undefined && oauth.isDPoPNonceError(error)) return ask();
      throw error;
    });
  } catch (error) {
    throw explained(error, request.issuer, "token_invalid");
  }
}

/** The tokens in the answer to such a request. */
export async function tokensBy(...asked: Parameters<typeof answered>): Promise<StoredTokens> {
  return tokensIn(await answered(...asked), asked[0]);
}

/** Gives new tokens for a refresh token. Rejects with `token_refused` where it is no longer good. */
export async function refreshed(
  request: TokenRequest,
  tokens: StoredTokens & { readonly refreshToken: string },
): Promise<StoredTokens> {
  const { issuer, client } = request;
  const { refreshToken, requested, granted } = tokens;
  const fresh = await tokensBy(
    request,
    (options) =>
      oauth.refreshTokenGrantRequest(issuer, client.id, client.auth, refreshToken, options),
    (answer) => oauth.processRefreshTokenResponse(issuer, client.id, answer),
  );
  // Where the server gives no other, the same one goes on (RFC 6749, section 6).
  return { refreshToken, ...(granted && { granted }), ...fresh, requested };
}

/** Tokens by a grant that needs no more than one request: for the client itself, or an assertion. */
export async function tokensByGrant(
  request: TokenRequest,
  grantType: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<StoredTokens> {
  return tokensIn(await answerToGrant(request, grantType, parameters), request);
}

/** What a token endpoint answers to such a grant. `types` are those of tokens that give no access. */
export async function answerToGrant(
  request: TokenRequest,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
  types: oauth.RecognizedTokenTypes = {},
): Promise<oauth.TokenEndpointResponse> {
  const { issuer, client, resource, scopes } = request;
  const scope = scopes.length > 0 && { scope: scopes.join(" ") };
  const form = { resource, ...scope, ...parameters };
  return answered(
    request,
    (options) =>
      oauth.genericTokenEndpointRequest(issuer, client.id, client.auth, grantType, form, options),
    (answer) =>
      oauth.processGenericTokenEndpointResponse(issuer, client.id, answer, {
        recognizedTokenTypes: types,
      }),
  );
}

/** The tokens in a response of a token endpoint. */
function tokensIn(
  response: oauth.TokenEndpointResponse,
  { issuer, client, scopes, now, binding }: TokenRequest,
): StoredTokens {
  const { access_token: accessToken, token_type: type, expires_in: seconds, scope } = response;
  // One kind where the other was asked for is not taken: the host relies on the binding, or lacks the key.
  const wanted = binding === undefined ? "bearer" : "dpop";
  if (type !== wanted || !/^[\x21-\x7e]{1,16384}$/.test(accessToken)) {
    throw new AuthorizationError(
      "token_invalid",
      `The authorization server ${issuer.issuer} gave a token that is no ${binding ? "token bound to the client's key" : "bearer token"}.`,
    );
  }
  return {
    accessToken,
    ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
    ...(seconds !== undefined && { expiresAt: now() + seconds * 1000 }),
    requested: scopes,
    ...(scope !== undefined && { granted: scopesIn(scope) }),
    clientId: client.id.client_id,
    ...(binding && { boundTo: binding.thumbprint }),
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
