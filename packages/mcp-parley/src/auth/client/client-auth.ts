import * as oauth from "oauth4webapi";
import { AuthorizationError } from "./errors.js";
import type { Issuer } from "./issuer.js";

/** How a client shows itself to a token endpoint (RFC 7591 section 2, OpenID Connect Core section 9). */
export type ClientAuthMethod =
  "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** A private key of a client, and the id its public key is published under, where it has one. */
export interface ClientKey {
  readonly key: oauth.CryptoKey;
  readonly kid?: string | undefined;
}

/** A client at one authorization server, ready to ask it for tokens. */
export interface IdentifiedClient {
  readonly id: oauth.Client;
  readonly auth: oauth.ClientAuth;
  /** Whether it was registered dynamically, so that it can be again. */
  readonly isOwn: boolean;
}

/** What a client can show. */
export interface ClientSecrets {
  readonly clientSecret?: string | undefined;
  readonly privateKey?: ClientKey | undefined;
}

/**
 * The method to use where none was agreed on: what the authorization server takes and the client
 * can. A server that names none takes `client_secret_basic`. Specification: RFC 8414, section 2.
 */
export function methodFor(issuer: Issuer, { clientSecret, privateKey }: ClientSecrets): string {
  if (privateKey !== undefined) return "private_key_jwt";
  if (clientSecret === undefined) return "none";
  const taken = issuer.token_endpoint_auth_methods_supported;
  const isOnlyPost =
    taken?.includes("client_secret_post") === true && !taken.includes("client_secret_basic");
  return isOnlyPost ? "client_secret_post" : "client_secret_basic";
}

/**
 * The client as the library wants it; one without an id is who its assertion says. Throws
 * `client_unknown` for a method it cannot use.
 */
export function identified(
  clientId: string | undefined,
  method: string,
  { clientSecret, privateKey }: ClientSecrets,
  isOwn = false,
): IdentifiedClient {
  const id = { client_id: clientId ?? NAMELESS };
  switch (clientId === undefined && method !== "none" ? "unknown" : method) {
    case "none":
      return { id, auth: clientId === undefined ? () => undefined : oauth.None(), isOwn };
    case "client_secret_basic":
      if (clientSecret === undefined) break;
      return { id, auth: basic(clientSecret), isOwn };
    case "client_secret_post":
      if (clientSecret === undefined) break;
      return { id, auth: oauth.ClientSecretPost(clientSecret), isOwn };
    case "private_key_jwt": {
      if (privateKey === undefined) break;
      const { key, kid } = privateKey;
      const signing = kid === undefined ? { key } : { key, kid };
      return { id, auth: oauth.PrivateKeyJwt(signing), isOwn };
    }
  }
  throw new AuthorizationError(
    "client_unknown",
    `The client cannot authenticate at the authorization server's token endpoint by ${method}: give it what that takes.`,
  );
}

/** What the library, which wants an id of every client, is told of one without; it is not sent. */
const NAMELESS = "nameless";

/**
 * The library's own also encodes `-`, `.` and `_`, which form encoding leaves alone, and which servers
 * that forget to decode then do not know again. Specification: RFC 6749, section 2.3.1.
 */
function basic(clientSecret: string): oauth.ClientAuth {
  return (_issuer, { client_id: clientId }, _body, headers) => {
    const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
    headers.set("authorization", `Basic ${btoa(pair)}`);
  };
}

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
