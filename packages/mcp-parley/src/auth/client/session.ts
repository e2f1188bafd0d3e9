import type { Access, Prover, Refused } from "../../client/authorization.js";
import { type ClientChallenge, readChallenge, union } from "./challenge.js";
import type { IdentifiedClient } from "./client-auth.js";
import type { Bind, Binding } from "./dpop.js";
import { AuthorizationError } from "./errors.js";
import { type AuthFetch, type AuthHttp, authHttp } from "./http.js";
import { type Issuer, findIssuer } from "./issuer.js";
import { findResource } from "./resource.js";
import { SharedWork } from "./shared-work.js";
import type { Keeper, StoredTokens } from "./store.js";
import { type TokenRequest, refreshed } from "./tokens.js";

/** What a session is made from. */
export interface SessionParts {
  readonly endpoint: string;
  readonly keeper: Keeper;
  readonly fetch: AuthFetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Which of these issuers to go to. */
  readonly choose: (issuers: readonly string[]) => string;
  readonly identify: (issuer: Issuer, http: AuthHttp) => Promise<IdentifiedClient>;
  /** Gives what tokens are bound to; undefined for bearer tokens. */
  readonly bind: Bind | undefined;
  /** Gets tokens where none are kept that will do. */
  readonly obtain: (request: TokenRequest, signal: AbortSignal) => Promise<StoredTokens>;
}

/** The tokens in use, and where they are from. */
interface Held {
  readonly issuer: Issuer;
  readonly client: IdentifiedClient;
  readonly resource: string;
  readonly binding: Binding | undefined;
  readonly tokens: StoredTokens;
}

/** An access token is renewed this long before its end, in ms: requests take their time. */
const EARLY = 10_000;

/**
 * The authorization of one client at one server.
 *
 * 1. Whatever a refusal leads to begins with the server's metadata, read anew: tokens and credentials
 *    are used where they were issued, and never at an authorization server that has taken its place.
 * 2. All who are refused at the same time share one authorization, and so do those who come while it
 *    is under way.
 * 3. The scopes once asked for are asked for again with those a refusal names.
 * 4. A token that is bound to another key than the one at hand, or to none though one is at hand, is
 *    never shown.
 *
 * Specification: basic/authorization; authorization/client-registration, Authorization Server Binding.
 */
export class Session {
  readonly #parts: SessionParts;
  readonly #work = new SharedWork();
  #held: Held | undefined;
  /** The last access token that a refusal had renewed. */
  #renewedToken: string | undefined;
  /** The last nonce the server gave for proofs. */
  #nonce: string | undefined;
  /** Present where tokens are bound to a key. */
  readonly prover: Prover | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    if (parts.bind === undefined) return;
    this.prover = {
      prove: (headers) => this.#prove(headers),
      heard: (nonce) => {
        if (typeof nonce === "string" && NONCE.test(nonce)) this.#nonce = nonce;
      },
    };
  }

  async #prove(given: Parameters<Prover["prove"]>[0]): ReturnType<Prover["prove"]> {
    const headers = await given;
    const { binding, tokens } = this.#held ?? {};
    // A token that has just been replaced goes without: its refusal leads to the new one.
    if (binding === undefined || tokens === undefined) return headers;
    if (headerOf(tokens) !== headers["authorization"]) return headers;
    const { endpoint } = this.#parts;
    return { ...headers, dpop: await binding.proof(endpoint, tokens.accessToken, this.#nonce) };
  }

  /** The header for the next request; undefined where there is no token to show. */
  async authorization(): Promise<string | undefined> {
    const held = this.#held;
    if (held === undefined) return undefined;
    const { expiresAt = Infinity, refreshToken } = held.tokens;
    if (refreshToken !== undefined && this.#parts.now() >= expiresAt - EARLY) {
      await this.#work.join(NEVER, (signal) => this.#renewHeld(held, signal));
    }
    return this.#held && headerOf(this.#held.tokens);
  }

  /**
   * Sees to what a refusal asks for; false where nothing can be done about it. `tried` holds what was
   * tried in vain, and gets to know what is tried now.
   */
  async seeTo(refused: Refused, tried: Set<string>): Promise<boolean> {
    const { status, sent, signal } = refused;
    const scheme = this.prover === undefined ? "bearer" : "dpop";
    const challenge = await readChallenge(refused.challenge, scheme);
    if (status === 403 && challenge.error !== "insufficient_scope") return false;
    const current = this.#held && headerOf(this.#held.tokens);
    if (current !== undefined) {
      if (current !== sent) return true; // others have seen to it
      if (challenge.error === "use_dpop_nonce") return this.#nonce !== undefined; // sent with it now
      if (challenge.error === "invalid_dpop_proof") return false; // no other token would help
    }
    let isDone = true;
    await this.#work.join(signal, async (working) => {
      isDone = await this.#authorize(refused, challenge, tried, working);
    });
    return isDone;
  }

  async #authorize(
    refused: Refused,
    challenge: ClientChallenge,
    tried: Set<string>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { endpoint, keeper, fetch, now, choose, bind, identify, obtain } = this.#parts;
    const isUnknown = refused.status === 401;
    if (isUnknown) this.#held = undefined; // whatever comes now, this token is good no more
    const http = authHttp(endpoint, fetch, signal);
    const { resource, issuers, scopes } = await findResource(http, endpoint, challenge.metadataUrl);
    const issuer = await findIssuer(http, choose(issuers));
    const binding = await bind?.(issuer);
    const client = await identify(issuer, http);
    const all = await keeper.tokens(issuer.issuer, resource);
    const kept = all?.clientId === client.id.client_id ? all : undefined;

    const place = { issuer, client, resource, binding };
    const asked = kept?.requested ?? [];
    const needed = challenge.scopes ?? (isUnknown && asked.length > 0 ? [] : (scopes ?? []));
    const request = { ...place, scopes: union(asked, needed), http, now };
    const usable = isUnknown
      ? await this.#knownAgain(refused, kept, request)
      : this.#alreadyWider(refused, kept, needed, binding);
    if (usable !== undefined) {
      this.#held = { ...place, tokens: usable };
      return true;
    }
    if (!isUnknown) {
      const attempt = [...needed].sort().join(" ");
      if (tried.has(attempt)) return false;
      tried.add(attempt);
    }
    // A registration may just have turned out to be none any more.
    const again = { ...request, client: await identify(issuer, http) };
    const tokens = await this.#obtained(again, () => obtain(again, signal));
    await keeper.keepTokens(issuer.issuer, resource, tokens);
    this.#held = { ...place, client: again.client, tokens };
    return true;
  }

  /** Tokens for a server that does not know the caller: those kept, or new ones in their place. */
  async #knownAgain(
    { sent, times }: Refused,
    kept: StoredTokens | undefined,
    request: TokenRequest,
  ): Promise<StoredTokens | undefined> {
    // Other scopes than those asked for before are for the person to grant.
    if (kept === undefined || request.scopes.length > kept.requested.length) return undefined;
    const { expiresAt = Infinity } = kept;
    const isGood = request.now() < expiresAt && isBoundTo(request.binding, kept);
    if (headerOf(kept) !== sent && isGood) return kept;
    if (times > 1 && kept.accessToken === this.#renewedToken) return undefined;
    const renewed = await this.#renewed(request, kept);
    this.#renewedToken = renewed?.accessToken;
    return renewed;
  }

  /** The tokens that are kept, where they go further than those that were refused. */
  #alreadyWider(
    { sent }: Refused,
    kept: StoredTokens | undefined,
    needed: readonly string[],
    binding: Binding | undefined,
  ): StoredTokens | undefined {
    if (kept === undefined || headerOf(kept) === sent) return undefined;
    if (!isBoundTo(binding, kept)) return undefined;
    const { granted = kept.requested } = kept;
    return needed.every((scope) => granted.includes(scope)) ? kept : undefined;
  }

  async #renewHeld(held: Held, signal: AbortSignal): Promise<void> {
    const { endpoint, fetch, now } = this.#parts;
    const http = authHttp(endpoint, fetch, signal);
    const request = { ...held, scopes: held.tokens.requested, http, now };
    try {
      const tokens = await this.#renewed(request, held.tokens);
      this.#held = tokens && { ...held, tokens };
    } catch (error) {
      // The old token may still do; where it does not, the refusal leads back here.
      if (!(error instanceof AuthorizationError)) throw error;
    }
  }

  /**
   * New tokens for the refresh token there is; undefined where there is none, or it is good no more:
   * what depended on it is then forgotten.
   */
  async #renewed(
    request: TokenRequest,
    { refreshToken, ...tokens }: StoredTokens,
  ): Promise<StoredTokens | undefined> {
    const { keeper } = this.#parts;
    const { issuer, resource, binding } = request;
    if (refreshToken === undefined) return undefined;
    try {
      const fresh = await this.#obtained(request, () =>
        refreshed(request, { ...tokens, refreshToken }),
      );
      await keeper.keepTokens(issuer.issuer, resource, fresh);
      return fresh;
    } catch (error) {
      const code = error instanceof AuthorizationError ? error.oauthError : undefined;
      const isLost = code === "invalid_dpop_proof" && !isBoundTo(binding, tokens);
      // Anything else may be otherwise in a while, and a refresh token is not thrown away for it.
      if (!isLost && (code === undefined || !GONE.has(code))) throw error;
      await keeper.keepTokens(issuer.issuer, resource, undefined);
      return undefined;
    }
  }

  /** Asks for tokens; a registration that turns out to be none any more is forgotten. */
  async #obtained(
    { issuer, client }: TokenRequest,
    ask: () => Promise<StoredTokens>,
  ): Promise<StoredTokens> {
    try {
      return await ask();
    } catch (error) {
      const isUnknown =
        error instanceof AuthorizationError && error.oauthError === "invalid_client";
      if (isUnknown && client.isOwn) {
        await this.#parts.keeper.keepRegistration(issuer.issuer, undefined);
      }
      throw error;
    }
  }
}

/** What an authorization server says of a refresh token, or a client, that is good no more. */
const GONE: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
]);

const NEVER = new AbortController().signal;

/** As RFC 9449 has it in section 8.1, and no longer than a header can take. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,2048}$/;

const headerOf = ({ accessToken, boundTo }: StoredTokens): string =>
  `${boundTo === undefined ? "Bearer" : "DPoP"} ${accessToken}`;

const isBoundTo = (binding: Binding | undefined, { boundTo }: Pick<StoredTokens, "boundTo">) =>
  boundTo === binding?.thumbprint;

/** One connection's part in a session: what was tried in vain is tried again by the next one. */
export class SessionAccess implements Access {
  readonly #session: Session;
  readonly #tried = new Set<string>();
  readonly prover: Prover | undefined;

  constructor(session: Session) {
    this.#session = session;
    this.prover = session.prover;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const authorization = await this.#session.authorization();
    return authorization === undefined ? {} : { authorization };
  }

  refused(refused: Refused): Promise<boolean> {
    return this.#session.seeTo(refused, this.#tried);
  }
}
