import { ParleyError } from "../../protocol/errors.js";
import { isSecureUrl } from "../urls.js";
import type { ClientKey } from "./client-auth.js";
import type { Authorize } from "./code-flow.js";
import type { AuthFetch } from "./http.js";
import type { ClientIdentity, KnownClient } from "./identify.js";
import type { CredentialStore } from "./store.js";

/** How a client gets authorized for the person who uses it. */
export interface OAuthOptions {
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
  /** Where registrations and tokens are kept. Default: in memory. */
  readonly store?: CredentialStore | undefined;
  /** What sends the authorization's own requests. Default: the platform's `fetch`. */
  readonly fetch?: AuthFetch | undefined;
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
export interface ClientCredentialsOptions {
  /** The client as each authorization server knows it; each with a secret or a key. */
  readonly clients: readonly KnownClient[];
  /** Where tokens are kept. Default: in memory. */
  readonly store?: CredentialStore | undefined;
  /** What sends the authorization's own requests. Default: the platform's `fetch`. */
  readonly fetch?: AuthFetch | undefined;
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
