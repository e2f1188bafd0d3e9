import type { Authorization } from "../../client/authorization.js";
import { union } from "./challenge.js";
import { tokensByCode } from "./code-flow.js";
import type { AuthFetch } from "./http.js";
import { identify } from "./identify.js";
import type { ClientIdentity } from "./identify.js";
import { type ClientCredentialsOptions, type OAuthOptions, identityIn } from "./options.js";
import { Session, SessionAccess, type SessionParts } from "./session.js";
import { type CredentialStore, Keeper, MemoryCredentialStore } from "./store.js";
import { type TokenRequest, ownTokens } from "./tokens.js";

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
  const { clients } = options;
  const identity = {
    clients,
    clientMetadataUrl: undefined,
    privateKey: undefined,
    registration: undefined,
  };
  return authorization(options, identity, now, () => ownTokens);
}

interface Outside {
  readonly store?: CredentialStore | undefined;
  readonly fetch?: AuthFetch | undefined;
}

function authorization(
  { store = new MemoryCredentialStore(), fetch = platformFetch }: Outside,
  identity: ClientIdentity,
  now: () => number,
  obtain: Obtain,
): Authorization {
  const keeper = new Keeper(store);
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
          obtain: obtain(endpoint),
        });
        sessions.set(endpoint, session);
      }
      return new SessionAccess(session);
    },
  };
}

const platformFetch: AuthFetch = (url, init) => fetch(url, init);

/**
 * With the scope for a refresh token, where the authorization server has it; where no scopes are
 * asked for, asking for this one alone would change what is granted.
 */
function withOffline({ issuer, scopes }: TokenRequest): readonly string[] {
  const has = issuer.scopes_supported?.includes("offline_access") === true;
  return has && scopes.length > 0 ? union(scopes, ["offline_access"]) : scopes;
}
