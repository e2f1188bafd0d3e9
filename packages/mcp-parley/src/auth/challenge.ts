/** What a `WWW-Authenticate` of the `Bearer` scheme says. */
export interface Challenge {
  /** Left out where the request carried no credentials. */
  readonly error?: "invalid_request" | "invalid_token" | "insufficient_scope";
  readonly description?: string;
  /** The scopes that are enough for this request. */
  readonly scopes?: readonly string[];
  /** Where the metadata of the protected resource is. */
  readonly metadataUrl?: string | undefined;
}

/**
 * A challenge as the header has it. Specification: RFC 6750 section 3, RFC 9728 section 5.1,
 * basic/authorization, Scope Challenge Handling.
 */
export function bearerChallenge(challenge: Challenge): string {
  const { error, description, scopes = [], metadataUrl } = challenge;
  const parameters = [
    error === undefined ? "" : `error="${error}"`,
    description === undefined ? "" : `error_description="${description}"`,
    scopes.length === 0 ? "" : `scope="${scopes.join(" ")}"`,
    metadataUrl === undefined ? "" : `resource_metadata="${metadataUrl}"`,
  ].filter((parameter) => parameter !== "");
  return parameters.length === 0 ? "Bearer" : `Bearer ${parameters.join(", ")}`;
}

/** The challenge to a caller who lacks scopes, or has shown no token at all. */
export function scopeChallenge(
  scopes: readonly string[],
  known: boolean,
  metadataUrl?: string,
): string {
  if (!known) return bearerChallenge({ scopes, metadataUrl });
  const description = "The access token does not have the scopes this needs";
  return bearerChallenge({ error: "insufficient_scope", description, scopes, metadataUrl });
}
