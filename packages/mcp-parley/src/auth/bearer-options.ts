import type { JSONWebKeySet } from "jose";
import type { Logger } from "../flow/options.js";
import type { Fetch } from "./fetch-json.js";
import type { Implied } from "./granted-scopes.js";
import type { TokenFault } from "./verify-token.js";

/** An authorization server whose tokens are taken. */
export interface TrustedIssuer {
  /** Its issuer identifier, exactly as it stands in its tokens and its metadata. */
  readonly issuer: string;
  /**
   * Its keys, or the URL of its key set. Default: what its metadata name, which are read at the
   * first request (RFC 8414, then OpenID Connect Discovery).
   */
  readonly jwks?: JSONWebKeySet | string;
}

/** Settings of {@link bearer}. */
export interface BearerOptions {
  /**
   * The URL by which clients know this server: the endpoint as they reach it, without a trailing
   * slash. Clients ask for tokens for it. Specification: basic/authorization, Canonical Server URI.
   */
  readonly resource: string;
  /** Whose tokens are taken; of several, each is held to its own keys. */
  readonly issuer: string | TrustedIssuer | readonly (string | TrustedIssuer)[];
  /**
   * What a token's `aud` must hold one of. Default: `resource`. Where the authorization server can't
   * put a URL there, the identifier it has for this server, and for no other.
   */
  readonly audience?: string | readonly string[];
  /**
   * Scopes that every request needs; clients ask for them from the start. What only some tools need
   * is named at the tool. Default: none.
   */
  readonly scopes?: readonly string[];
  /** The scopes named in the metadata, for clients that are told none. Default: `scopes`. */
  readonly scopesSupported?: readonly string[];
  /** Scopes that imply narrower ones: `{ "files:write": ["files:read"] }`. Default: none do. */
  readonly implies?: Implied;
  /**
   * Who may call without a token. False: nobody. True: everyone, as far as what they call needs no
   * scopes. A list: who calls one of these methods, or a method and a name, such as `server/discover`
   * or `tools/call search`. Whoever sends a token is held to it. Default: false.
   */
  readonly anonymous?: boolean | readonly string[];
  /**
   * The signature algorithms that are taken, all asymmetric. Default: RS256, RS384, RS512, PS256,
   * PS384, PS512, ES256, ES384, ES512, EdDSA and Ed25519.
   */
  readonly algorithms?: readonly string[];
  /** How far clocks may be apart, in milliseconds, at most 300,000. Default: 30,000. */
  readonly clockToleranceMs?: number;
  /** The claim that names the client. Default: `client_id`, or else `azp`. */
  readonly clientClaim?: string;
  /** What this server is called in its metadata, for people. */
  readonly name?: string;
  /** Where people read about it. */
  readonly documentation?: string;
  /** How long fetching metadata or keys may take, in milliseconds. Default: 5,000. */
  readonly timeoutMs?: number;
  /** How they are fetched, such as through a proxy. Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** Told why a token was refused; the token itself is told to nobody. It must not throw. */
  readonly onRefusal?: (refusal: TokenRefusal) => void;
  /** Where issuers that can't be reached are reported. Default: `console`; false is silent. */
  readonly log?: Logger | false;
}

/** A token that was refused. */
export interface TokenRefusal {
  readonly fault: TokenFault;
}
