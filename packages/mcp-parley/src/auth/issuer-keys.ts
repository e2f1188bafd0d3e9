import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors } from "jose";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { isObject } from "../protocol/json.js";
import type { Logger } from "../flow/options.js";
import { discoverKeys } from "./discovery.js";
import { type Fetch, fetchJson } from "./fetch-json.js";

/*
 * The keys of one issuer.
 *
 * 1. Known keys serve for ten minutes; then they are fetched again, so that one the issuer has
 *    withdrawn is no longer believed.
 * 2. A key that is not known is looked for at once, and not again for half a minute: tokens that
 *    name made-up keys cause no storm.
 * 3. After a fetch that failed, nothing is fetched for a few seconds. Known keys go on serving.
 * 4. All who wait for a fetch wait for the same one, and no longer than its time limit.
 */

/** How long known keys serve, in ms. */
const KEYS_KEPT = 600_000;
/** How long after a fetch an unknown key causes none, in ms. */
const UNKNOWN_KEY_REST = 30_000;
/** How long after a failed fetch there is none, in ms. */
export const FAILURE_REST = 5_000;

/** What reaches an authorization server. */
export interface Reach {
  readonly fetch: Fetch;
  /** The longest one document may take, in ms. */
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly log: Logger;
}

/** The issuer's keys can't be had now: nothing is known of the token. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** What tells of the token, and nothing of the issuer. */
const OF_THE_TOKEN: ReadonlySet<string> = new Set([
  errors.JWKSNoMatchingKey.code,
  errors.JWKSMultipleMatchingKeys.code,
  errors.JOSENotSupported.code,
]);

/**
 * Finds the key a token names: in `jwks`, at that URL, or, undefined, where the issuer's metadata
 * say. Rejects with {@link KeysUnavailable}, or with jose's errors for what the token names wrongly.
 */
export function issuerKeys(
  issuer: string,
  jwks: JSONWebKeySet | URL | undefined,
  reach: Reach,
): JWTVerifyGetKey {
  if (jwks !== undefined && !(jwks instanceof URL)) return createLocalJWKSet(jwks);
  const source = new RemoteKeys(issuer, jwks, reach);
  return async (header, token) => {
    try {
      const find = await source.find();
      return await find(header, token);
    } catch (error) {
      if (error instanceof errors.JOSEError && OF_THE_TOKEN.has(error.code)) throw error;
      if (error instanceof KeysUnavailable) throw error;
      throw new KeysUnavailable("The keys can't be used", { cause: error });
    }
  };
}

class RemoteKeys {
  readonly #issuer: string;
  readonly #reach: Reach;
  #url: URL | undefined;
  #found: Promise<JWTVerifyGetKey> | undefined;
  #restsUntil = -Infinity;

  constructor(issuer: string, url: URL | undefined, reach: Reach) {
    this.#issuer = issuer;
    this.#url = url;
    this.#reach = reach;
  }

  /** The remote set; the issuer's metadata are read once it is first needed. */
  find(): Promise<JWTVerifyGetKey> {
    this.#found ??= this.#discover().catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    this.#url ??= await this.#attempt((signal) =>
      discoverKeys(this.#issuer, (url) => fetchJson(this.#reach.fetch, url, signal)),
    );
    return createRemoteJWKSet(this.#url, {
      timeoutDuration: this.#reach.timeoutMs,
      cooldownDuration: UNKNOWN_KEY_REST,
      cacheMaxAge: KEYS_KEPT,
      [customFetch]: (url) => this.#keySet(url),
    });
  }

  #keySet(url: string): Promise<Response> {
    return this.#attempt(async (signal) => {
      const set = await fetchJson(this.#reach.fetch, url, signal);
      if (!Array.isArray(set["keys"]) || !set["keys"].every(isObject)) {
        throw new Error(`${url} gave no key set`);
      }
      return Response.json(set);
    });
  }

  async #attempt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { now, log, timeoutMs } = this.#reach;
    if (now() < this.#restsUntil) throw new KeysUnavailable("The last attempt has just failed");
    try {
      return await work(AbortSignal.timeout(timeoutMs));
    } catch (cause) {
      this.#restsUntil = now() + FAILURE_REST;
      log.error(`The keys of ${this.#issuer} can't be had; its tokens are refused with 503`, cause);
      throw new KeysUnavailable("The keys can't be fetched", { cause });
    }
  }
}
