import { keepLatest } from "../protocol/keep-latest.js";
import { isWellFormed } from "./canonical.js";
import type { Principal } from "./principal.js";
import type { RingKey } from "./ring-key.js";
import { tuple } from "./tuple.js";

/** Principals whose tags are kept, each under each key: a few hundred bytes apiece. */
const CACHED = 1024;

/**
 * Binds to a principal without naming it: HMAC-SHA-256, under a sub-key for `purpose`, over
 * issuer, subject and client as a tuple. Nobody is a principal of its own, so that drift is
 * noticed both ways; no client is not the same as an empty one.
 */
export class PrincipalTags {
  readonly #purpose: string;
  readonly #cache = new Map<string, string>();

  constructor(purpose: string) {
    this.#purpose = purpose;
  }

  /** The tag, base64url; undefined for a principal that is not well-formed Unicode. */
  tag(key: RingKey, principal: Principal | undefined): string | undefined {
    const name = key.id + nameOf(principal);
    const cached = this.#cache.get(name);
    if (cached !== undefined) return cached;
    const parts = partsOf(principal);
    // UTF-8 would make one of two names that differ in a lone surrogate only.
    if (!parts.every(isWellFormed)) return undefined;
    const tag = key.mac(this.#purpose, tuple(parts)).toString("base64url");
    keepLatest(this.#cache, name, tag, CACHED);
    return tag;
  }
}

function partsOf(principal: Principal | undefined): string[] {
  if (principal === undefined) return ["anonymous"];
  const { issuer, subject, client } = principal;
  return client === undefined
    ? ["principal", issuer, subject]
    : ["principal", issuer, subject, "client", client];
}

/** A name for the cache: lengths keep apart what concatenation would run together. */
function nameOf(principal: Principal | undefined): string {
  if (principal === undefined) return "";
  const { issuer, subject, client } = principal;
  return `${issuer.length}:${issuer}${subject.length}:${subject}${client === undefined ? "" : ":" + client}`;
}
