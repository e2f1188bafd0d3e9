import type { Authorization } from "../../client/authorization.js";
import { assertionBy, tokensByAssertion } from "./assertion.js";
import { union } from "./challenge.js";
import { tokensByCode } from "./code-flow.js";
import { bindingBy } from "./dpop.js";
import { identityGrant } from "./enterprise.js";
import { type AuthFetch, authHttp } from "./http.js";
import { type ClientIdentity, type FederatedClient, identify } from "./identify.js";
import {
  type AuthorizationOptions,
  type ClientCredentialsOptions,
  type EnterpriseManagedOptions,
  type OAuthOptions,
  type WorkloadIdentityOptions,
  checkProvider,
  identityIn,
} from "./options.js";
import { Session, SessionAccess, type SessionParts } from "./session.js";
import { Keeper, MemoryCredentialStore } from "./store.js";
import { type TokenRequest, tokensByGrant } from "./tokens.js";

/** How tokens are got where there are none: for a server, by its endpoint. */
type Obtain = (endpoint: string) => SessionParts["obtain"];

/** Authorization for a person; `now` is in ms since 1970. */
export function personAuthorization(options: OAuthOptions, now: () => number): Authorization {
  const { authorize, redirectUri, offlineAccess = true } = options;
  return authorization(options, identityIn(options), now, (server) => (request, signal) => {
    const scopes = offlineAccess ? withOffline(request) : request.scopes;
    return tokensByCode({ ...request, scopes }, { authorize, redirectUri, server, signal });
  });
}

/** Authorization for the client itself. */
export function ownAuthorization(
  options: ClientCredentialsOptions,
  now: () => number,
): Authorization {
  const identity = registered(options.clients);
  return authorization(
    options,
    identity,
    now,
    () => (request) => tokensByGrant(request, "client_credentials"),
  );
}

/** Authorization for a workload, by what its platform asserts. */
export function workloadAuthorization(
  options: WorkloadIdentityOptions,
  now: () => number,
): Authorization {
  const { clients, assertion: give } = options;
  return authorization(options, registered(clients), now, (server) => async (request, signal) => {
    const { issuer } = request.issuer;
    return tokensByAssertion(request, await assertionBy(give, { server, issuer, signal }));
  });
}

/** Authorization for a person whom an identity provider knows. */
export function enterpriseAuthorization(
  options: EnterpriseManagedOptions,
  now: () => number,
): Authorization {
  const { clients, identityProvider: client, identityAssertion: give } = options;
  const { identityAssertionType: type = "id_token", fetch = platformFetch } = options;
  const { issuer } = client;
  checkProvider(client);
  return authorization(options, registered(clients), now, (server) => async (request, signal) => {
    const identity = {
      client,
      type,
      assertion: await assertionBy(give, { server, issuer, signal }),
    };
    // The provider's address is the host's own: it is not the server that leads there.
    const http = authHttp(issuer, fetch, signal);
    const { assertion, scopes } = await identityGrant(identity, request, http);
    const tokens = await tokensByAssertion({ ...request, scopes }, assertion);
    return { granted: scopes, ...tokens, requested: request.scopes };
  });
}

function authorization(
  { store = new MemoryCredentialStore(), fetch = platformFetch, dpop }: AuthorizationOptions,
  identity: ClientIdentity,
  now: () => number,
  obtain: Obtain,
): Authorization {
  const keeper = new Keeper(store);
  const bind = bindingBy(dpop);
  const sessions = new Map<string, Session>();
  const choose = (issuers: readonly string[]): string =>
    issuers.find((issuer) => identity.clients.some((known) => known.issuer === issuer)) ??
    (issuers[0] as string);
  return {
    accessTo(endpoint) {
      let session = sessions.get(endpoint);
      if (session === undefined) {
        session = new Session({
          endpoint,
          keeper,
          fetch,
          now,
          choose,
          identify: (issuer, http) => identify(identity, issuer, http, keeper, now),
          bind,
          obtain: obtain(endpoint),
        });
        sessions.set(endpoint, session);
      }
      return new SessionAccess(session);
    },
  };
}

/** A client that is known where it was registered beforehand, and nowhere else. */
const registered = (clients: readonly FederatedClient[]): ClientIdentity => ({
  clients,
  clientMetadataUrl: undefined,
  privateKey: undefined,
  registration: undefined,
});

const platformFetch: AuthFetch = (url, init) => fetch(url, init);

/**
 * With the scope for a refresh token, where the authorization server has it; where no scopes are
 * asked for, asking for this one alone would change what is granted.
 */
function withOffline({ issuer, scopes }: TokenRequest): readonly string[] {
  const has = issuer.scopes_supported?.includes("offline_access") === true;
  return has && scopes.length > 0 ? union(scopes, ["offline_access"]) : scopes;
}
