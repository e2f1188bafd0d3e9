import { ParleyError } from "../../protocol/errors.js";
import { isSecureUrl } from "../urls.js";
import type { GiveAssertion } from "./assertion.js";
import type { ClientKey } from "./client-auth.js";
import type { Authorize } from "./code-flow.js";
import type { DpopKeyPair } from "./dpop.js";
import type { IdentityAssertionType } from "./enterprise.js";
import type { AuthFetch } from "./http.js";
import type { ClientIdentity, FederatedClient, KnownClient } from "./identify.js";
import type { CredentialStore } from "./store.js";

/** What every authorization may be given. */
export interface AuthorizationOptions {
  /** Where registrations and tokens are kept. Default: in memory. */
  readonly store?: CredentialStore | undefined;
  /** What sends the authorization's own requests. Default: the platform's `fetch`. */
  readonly fetch?: AuthFetch | undefined;
  /**
   * Binds tokens to a key, so that they are of no use to anybody else (DPoP, RFC 9449), and takes no
   * others: for servers that know them. `true` makes a key for each authorization server, which lasts
   * as long as this authorization does; tokens kept from before are then renewed where their refresh
   * token is not bound, and asked for again where it is. A key pair of the host's own outlives that.
   * Default: bearer tokens.
   */
  readonly dpop?: boolean | DpopKeyPair | undefined;
}

/** How a client gets authorized for the person who uses it. */
export interface OAuthOptions extends AuthorizationOptions {
  /** Takes the person to the authorization server and back. */
  readonly authorize: Authorize;
  /** Where they come back to: https, or http on this machine. It must be registered, exactly so. */
  readonly redirectUri: string;
  /** The clients that were registered beforehand, each with its authorization server. */
  readonly clients?: readonly KnownClient[] | undefined;
  /**
   * The https URL, with a path, of this client's metadata document: its client id at authorization
   * servers that take such (basic/authorization/client-registration, Client ID Metadata Documents).
   * The document is yours to serve.
   */
  readonly clientMetadataUrl?: string | undefined;
  /** The key for `private_key_jwt`, where that document says so. */
  readonly privateKey?: ClientKey | undefined;
  /**
   * What the client says of itself where it has to register itself, which is deprecated; `false`
   * for never. Default: the name `MCP client`; `false` where `clients` are given.
   */
  readonly registration?: Registration | false | undefined;
  /**
   * Whether to ask for `offline_access`, where the authorization server has it: for a refresh token.
   * Default true.
   */
  readonly offlineAccess?: boolean | undefined;
}

/** What a client that registers itself says. */
export interface Registration {
  /** The name people see when they are asked for consent. */
  readonly clientName?: string | undefined;
  /** The client's home page. */
  readonly clientUri?: string | undefined;
  readonly logoUri?: string | undefined;
}

/** How a client gets authorized for itself, without a person. */
export interface ClientCredentialsOptions extends AuthorizationOptions {
  /** The client as each authorization server knows it; each with a secret or a key. */
  readonly clients: readonly KnownClient[];
}

/** How a client gets authorized as the workload it is, by what its platform says of it. */
export interface WorkloadIdentityOptions extends AuthorizationOptions {
  /** The authorization servers that trust the platform: assertions go to no other. */
  readonly clients: readonly FederatedClient[];
  /** Gives the workload's token, a JWT with the authorization server as its audience. */
  readonly assertion: GiveAssertion;
}

/** How a client gets authorized for a person whom an enterprise's identity provider knows. */
export interface EnterpriseManagedOptions extends AuthorizationOptions {
  /** The client as each server's authorization server knows it: grants are asked for no other. */
  readonly clients: readonly KnownClient[];
  /** The client as the identity provider knows it, where the person signed in to the client. */
  readonly identityProvider: KnownClient;
  /** Gives the person's identity assertion: the ID token of that sign-in, good now. */
  readonly identityAssertion: GiveAssertion;
  /** What kind of assertion that is. Default `id_token`. */
  readonly identityAssertionType?: IdentityAssertionType | undefined;
}

/** Throws `usage` for an identity provider that cannot be one. */
export function checkProvider({ issuer }: KnownClient): void {
  if (URL.canParse(issuer) && isSecureUrl(new URL(issuer))) return;
  throw new ParleyError(
    "usage",
    "identityProvider.issuer: give an https URL, or an http one on this machine.",
  );
}

/** Who the client is, by its options. Throws `usage` for what can't be meant. */
export function identityIn(options: OAuthOptions): ClientIdentity {
  const { redirectUri, clients, clientMetadataUrl, privateKey } = options;
  const isTarget =
    URL.canParse(redirectUri) && isSecureUrl(new URL(redirectUri)) && !redirectUri.includes("#");
  if (!isTarget) {
    throw new ParleyError(
      "usage",
      "redirectUri: give an https URL, or an http one on this machine.",
    );
  }
  if (clientMetadataUrl !== undefined && !isDocument(clientMetadataUrl)) {
    const hint = "give an https URL with a path, such as https://example.com/client.json";
    throw new ParleyError("usage", `clientMetadataUrl: ${hint}.`);
  }
  const { registration = clients === undefined ? {} : false } = options;
  const { clientName = "MCP client", clientUri, logoUri } = registration || {};
  return {
    clients: clients ?? [],
    clientMetadataUrl,
    privateKey,
    registration:
      registration === false ? undefined : { clientName, clientUri, logoUri, redirectUri },
  };
}

/** As the draft on client id metadata documents has it: told by its text, which is the client's id. */
function isDocument(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url?.protocol === "https:" &&
    url.pathname !== "/" &&
    url.username + url.password === "" &&
    !/[#\s]|\/\.{1,2}(?:[/?]|$)/.test(text)
  );
}
