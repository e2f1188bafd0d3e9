import type { Awaitable } from "../../protocol/json.js";

/** A client as an authorization server has registered it. */
export interface StoredRegistration {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** How it authenticates at the token endpoint. */
  readonly method: string;
  /** When the secret ends, in ms since 1970. */
  readonly expiresAt?: number;
  /** Where users may come back to. */
  readonly redirectUris: readonly string[];
}

/** Tokens for one server. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** When the access token ends, in ms since 1970. */
  readonly expiresAt?: number;
  /** The scopes they were asked for. */
  readonly requested: readonly string[];
  /** The scopes that were granted, where the authorization server said. */
  readonly granted?: readonly string[];
  /** Whom they were given to. */
  readonly clientId: string;
  /** Which key of the client's they are bound to (RFC 7638); absent for bearer tokens. */
  readonly boundTo?: string;
}

/** What a client keeps of one authorization server: plain JSON, and secret. */
export interface StoredCredentials {
  /** Only where the client registered itself there. */
  readonly registration?: StoredRegistration;
  /** By resource identifier of the server they are for. */
  readonly tokens?: Readonly<Record<string, StoredTokens>>;
}

/**
 * Where credentials are kept, by the issuer identifier of the authorization server they are of: what
 * was kept under one is never used at another. Keep them as secretly as passwords. Let only one
 * process use a store at a time: refresh tokens are good once.
 *
 * Specification: basic/authorization/client-registration, Authorization Server Binding.
 */
export interface CredentialStore {
  get(issuer: string): Awaitable<StoredCredentials | undefined>;
  set(issuer: string, credentials: StoredCredentials): Awaitable<void>;
  delete(issuer: string): Awaitable<void>;
}

/** Keeps credentials for as long as the process runs; shows nothing when it is printed. */
export class MemoryCredentialStore implements CredentialStore {
  readonly #kept = new Map<string, StoredCredentials>();

  get(issuer: string): StoredCredentials | undefined {
    return this.#kept.get(issuer);
  }

  set(issuer: string, credentials: StoredCredentials): void {
    this.#kept.set(issuer, credentials);
  }

  delete(issuer: string): void {
    this.#kept.delete(issuer);
  }
}

/** A host's store, as it is used here: one change after another, so that none is lost. */
export class Keeper {
  readonly #store: CredentialStore;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: CredentialStore) {
    this.#store = store;
  }

  async registration(issuer: string): Promise<StoredRegistration | undefined> {
    return (await this.#store.get(issuer))?.registration;
  }

  async tokens(issuer: string, resource: string): Promise<StoredTokens | undefined> {
    const tokens = (await this.#store.get(issuer))?.tokens;
    return tokens !== undefined && Object.hasOwn(tokens, resource) ? tokens[resource] : undefined;
  }

  /** Undefined forgets it, and the tokens that belong to it. */
  keepRegistration(issuer: string, registration: StoredRegistration | undefined): Promise<void> {
    return this.#change(issuer, ({ tokens }) =>
      registration === undefined ? {} : { registration, ...(tokens && { tokens }) },
    );
  }

  /** Undefined forgets them. */
  keepTokens(issuer: string, resource: string, kept: StoredTokens | undefined): Promise<void> {
    return this.#change(issuer, ({ registration, tokens }) => {
      const others = Object.entries(tokens ?? {}).filter(([name]) => name !== resource);
      const all = kept === undefined ? others : [...others, [resource, kept] as const];
      return {
        ...(registration && { registration }),
        ...(all.length > 0 && { tokens: Object.fromEntries(all) }),
      };
    });
  }

  #change(issuer: string, to: (from: StoredCredentials) => StoredCredentials): Promise<void> {
    const change = this.#last.then(async () => {
      const next = to((await this.#store.get(issuer)) ?? {});
      if (Object.keys(next).length === 0) await this.#store.delete(issuer);
      else await this.#store.set(issuer, next);
    });
    this.#last = change.catch(() => undefined);
    return change;
  }
}
