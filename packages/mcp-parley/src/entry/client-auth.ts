/**
 * Authorization of clients over HTTP by OAuth. Needs `oauth4webapi`, 3 or later.
 */
import { ownAuthorization, personAuthorization } from "../auth/client/oauth.js";
import type { ClientCredentialsOptions, OAuthOptions } from "../auth/client/options.js";
import type { Authorization } from "../client/authorization.js";

/**
 * Makes the `authorization` of `connect` out of OAuth: a person grants access, by an authorization
 * code with PKCE. Nothing happens before a server refuses a request for want of it; then its metadata
 * says which authorization server to go to, where the client is known as one of `clients`, by its
 * metadata document, or registers itself. Tokens are renewed while they can be, and a request that
 * needs more scopes asks the person for them, once for each connection. Requests that are refused at
 * the same time share one authorization, which takes as long as the person does.
 *
 * May serve any number of clients: those of one endpoint share their tokens. A call that needs an
 * authorization which does not come about rejects with {@link AuthorizationError}. Throws `usage` for
 * options that can't be meant. Specification: basic/authorization.
 */
export function oauth(options: OAuthOptions): Authorization {
  return personAuthorization(options, Date.now);
}

/**
 * The same for a client that acts for itself: no person is asked, and each authorization server has
 * to know the client beforehand, by a secret or a key. RFC 6749, section 4.4.
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorization {
  return ownAuthorization(options, Date.now);
}

export { AuthorizationError } from "../auth/client/errors.js";
export type { AuthorizationFault } from "../auth/client/errors.js";
export { MemoryCredentialStore } from "../auth/client/store.js";
export type {
  CredentialStore,
  StoredCredentials,
  StoredRegistration,
  StoredTokens,
} from "../auth/client/store.js";
export type { Authorize, AuthorizeRequest } from "../auth/client/code-flow.js";
export type { ClientAuthMethod, ClientKey } from "../auth/client/client-auth.js";
export type { KnownClient } from "../auth/client/identify.js";
export type { AuthFetch } from "../auth/client/http.js";
export type {
  ClientCredentialsOptions,
  OAuthOptions,
  Registration,
} from "../auth/client/options.js";
export type { Access, Authorization, Refused } from "../client/authorization.js";
export { ParleyError, isParleyError } from "../protocol/errors.js";
