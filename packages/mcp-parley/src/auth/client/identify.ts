import {
  type ClientAuthMethod,
  type ClientKey,
  type IdentifiedClient,
  identified,
  methodFor,
} from "./client-auth.js";
import { AuthorizationError } from "./errors.js";
import type { AuthHttp } from "./http.js";
import type { Issuer } from "./issuer.js";
import { type ClientDescription, register } from "./register.js";
import type { Keeper } from "./store.js";

/** A client that was registered with an authorization server beforehand. */
export interface KnownClient {
  /** The issuer identifier of that server: these credentials are never used at another. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** To authenticate by `private_key_jwt`; asymmetric, for signing. */
  readonly privateKey?: ClientKey | undefined;
  /** Default: what the authorization server takes and this client can. */
  readonly authMethod?: ClientAuthMethod | undefined;
}

/** The same, where an assertion alone may say who the client is. */
export interface FederatedClient extends Omit<KnownClient, "clientId"> {
  /** Left out where the authorization server knows the client by its assertion alone. */
  readonly clientId?: string | undefined;
}

/** The ways in which a client may be known to an authorization server. */
export interface ClientIdentity {
  readonly clients: readonly FederatedClient[];
  readonly clientMetadataUrl: string | undefined;
  /** For the client in that metadata, where it says `private_key_jwt`. */
  readonly privateKey: ClientKey | undefined;
  /** What the client says of itself where it registers; undefined where it does not. */
  readonly registration: ClientDescription | undefined;
}

/**
 * Who this client is at an authorization server: as it was registered there beforehand, by its
 * metadata document, or else as it registers itself, in this order. Rejects with `client_unknown`
 * where it is nobody. Specification: basic/authorization/client-registration.
 */
export async function identify(
  { clients, clientMetadataUrl, privateKey, registration }: ClientIdentity,
  issuer: Issuer,
  http: AuthHttp,
  keeper: Keeper,
  now: () => number,
): Promise<IdentifiedClient> {
  const known = clients.find((client) => client.issuer === issuer.issuer);
  if (known !== undefined) return knownAt(issuer, known);
  if (clientMetadataUrl !== undefined && issuer.client_id_metadata_document_supported) {
    return identified(clientMetadataUrl, methodFor(issuer, { privateKey }), { privateKey });
  }
  if (registration !== undefined && issuer.registration_endpoint !== undefined) {
    const kept = await keeper.registration(issuer.issuer);
    const isGood =
      kept?.redirectUris.includes(registration.redirectUri) === true &&
      (kept.expiresAt === undefined || kept.expiresAt > now());
    const registered = isGood ? kept : await register(registration, issuer, http);
    if (!isGood) await keeper.keepRegistration(issuer.issuer, registered);
    return identified(registered.clientId, registered.method, registered, true);
  }
  throw new AuthorizationError(
    "client_unknown",
    `The authorization server ${issuer.issuer} does not know this client, and offers no way to become known that was allowed: register one there and name it in clients, with this issuer.`,
  );
}

/** A client as it was registered with this authorization server. */
export function knownAt(issuer: Issuer, known: FederatedClient): IdentifiedClient {
  return identified(known.clientId, known.authMethod ?? methodFor(issuer, known), known);
}
