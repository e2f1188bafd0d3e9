import type { CacheHints } from "../protocol/features.js";

/** Not to be kept: a read that depends on answers, or on who asks, fits no cache key. */
export const UNCACHED: CacheHints = { ttlMs: 0, cacheScope: "private" };

/**
 * The hints as given, or none to keep anything by. What not everyone may use (`isGated`) is never
 * public: a cache would hand it to whoever asks. Throws RangeError for hints no client could read.
 * Specification: server/utilities/caching.
 */
export function cacheHints(given: CacheHints | undefined, isGated: boolean): CacheHints {
  if (given === undefined) return UNCACHED;
  const { ttlMs, cacheScope } = given;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0) {
    throw new RangeError(`ttlMs is a whole number of ms from 0 on; got ${String(ttlMs)}`);
  }
  if (!["public", "private"].includes(cacheScope)) {
    throw new RangeError(`cacheScope is "public" or "private"; got ${cacheScope}`);
  }
  return { ttlMs, cacheScope: isGated ? "private" : cacheScope };
}
