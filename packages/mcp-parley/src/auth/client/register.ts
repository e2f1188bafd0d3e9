import * as oauth from "oauth4webapi";
import { AuthorizationError, oauthErrorIn, told } from "./errors.js";
import { type AuthHttp, readObject } from "./http.js";
import type { Issuer } from "./issuer.js";
import type { StoredRegistration } from "./store.js";
import { isLoopback } from "../urls.js";

/** What a client says of itself where it registers. */
export interface ClientDescription {
  /** What people see when they are asked for consent. */
  readonly clientName: string;
  readonly clientUri?: string | undefined;
  readonly logoUri?: string | undefined;
  readonly redirectUri: string;
}

/**
 * Registers the client dynamically. Rejects with `registration_refused`.
 * Specification: basic/authorization/client-registration, Dynamic Client Registration; RFC 7591.
 */
export async function register(
  description: ClientDescription,
  issuer: Issuer,
  http: AuthHttp,
): Promise<StoredRegistration> {
  const { redirectUri, clientName, clientUri, logoUri } = description;
  const asked = {
    client_name: clientName,
    ...(clientUri !== undefined && { client_uri: clientUri }),
    ...(logoUri !== undefined && { logo_uri: logoUri }),
    redirect_uris: [redirectUri],
    application_type: isLoopback(new URL(redirectUri)) ? "native" : "web",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: methodToAskFor(issuer),
  };
  const options = { [oauth.customFetch]: http.fetch, [oauth.allowInsecureRequests]: true };
  const response = await oauth.dynamicClientRegistrationRequest(issuer, asked, options);
  const body = await readObject(response);
  if (response.status !== 201 && response.status !== 200) {
    const error = oauthErrorIn(body?.["error"], body?.["error_description"]);
    throw refused(issuer, error === undefined ? `status ${response.status}` : told(error), error);
  }
  return read(body ?? {}, asked, issuer);
}

/** A client that runs at its user's can keep no secret, and asks for none where it need not. */
function methodToAskFor({ token_endpoint_auth_methods_supported: taken }: Issuer): string {
  const wanted = ["none", "client_secret_basic", "client_secret_post"];
  return wanted.find((method) => taken?.includes(method)) ?? "client_secret_basic";
}

function read(
  body: Readonly<Record<string, unknown>>,
  asked: { readonly redirect_uris: readonly string[] },
  issuer: Issuer,
): StoredRegistration {
  const { client_id: clientId, client_secret: clientSecret } = body;
  if (typeof clientId !== "string" || clientId === "")
    throw refused(issuer, "it gave no client_id");
  const hasSecret = typeof clientSecret === "string" && clientSecret !== "";
  const { token_endpoint_auth_method: named, client_secret_expires_at: ends } = body;
  // What a server leaves out is as RFC 7591 says, or as it can only be.
  const method = typeof named === "string" ? named : hasSecret ? "client_secret_basic" : "none";
  return {
    clientId,
    ...(hasSecret && { clientSecret }),
    method,
    ...(typeof ends === "number" && ends > 0 && { expiresAt: ends * 1000 }),
    redirectUris: asked.redirect_uris,
  };
}

function refused(
  { issuer }: Issuer,
  why: string,
  error?: { readonly error: string },
): AuthorizationError {
  return new AuthorizationError(
    "registration_refused",
    `The authorization server ${issuer} did not register this client: ${why}. Check redirectUri, or register one there yourself and name it in clients.`,
    error?.error,
  );
}
