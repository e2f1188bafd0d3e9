/** Where a protected resource's metadata are, before its own path. Specification: RFC 9728, section 3. */
export const RESOURCE_PATH = "/.well-known/oauth-protected-resource";
