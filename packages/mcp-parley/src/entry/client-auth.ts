/**
 * Authorization of clients over HTTP by OAuth. Needs `oauth4webapi`, 3.7 or later.
 */
import {
  enterpriseAuthorization,
  ownAuthorization,
  personAuthorization,
  workloadAuthorization,
} from "../auth/client/oauth.js";
import type {
  ClientCredentialsOptions,
  EnterpriseManagedOptions,
  OAuthOptions,
  WorkloadIdentityOptions,
} from "../auth/client/options.js";
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

/**
 * The same for a client that runs where a platform says who it is: the workload's own token, a JWT,
 * is its authorization at each authorization server that trusts the platform, and no secret is kept.
 * It is shown once each time tokens are needed; a refusal is final, and nothing else is tried.
 * Extension `io.modelcontextprotocol/auth/wif`; RFC 7523, section 2.1.
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Authorization {
  return workloadAuthorization(options, Date.now);
}

/**
 * The same for a person whom an enterprise's identity provider knows, and who signed in to this
 * client there: they are asked no more. The identity provider, which may refuse, gives a grant for
 * each server's authorization server, and that gives tokens for it. What the person could not be
 * granted for is `token_refused`, with the `oauthError` of whichever of the two refused.
 * Extension `io.modelcontextprotocol/enterprise-managed-authorization`; RFC 8693, RFC 7523.
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Authorization {
  return enterpriseAuthorization(options, Date.now);
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
export type { AssertionRequest, GiveAssertion } from "../auth/client/assertion.js";
export type { DpopKeyPair } from "../auth/client/dpop.js";
export type { IdentityAssertionType } from "../auth/client/enterprise.js";
export type { FederatedClient, KnownClient } from "../auth/client/identify.js";
export type { AuthFetch } from "../auth/client/http.js";
export type {
  AuthorizationOptions,
  ClientCredentialsOptions,
  EnterpriseManagedOptions,
  OAuthOptions,
  Registration,
  WorkloadIdentityOptions,
} from "../auth/client/options.js";
export type { Access, Authorization, Prover, Refused } from "../client/authorization.js";
export { ParleyError, isParleyError } from "../protocol/errors.js";
