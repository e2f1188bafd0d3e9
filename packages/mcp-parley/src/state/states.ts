import type { Awaitable } from "../protocol/json.js";
import type { Claims, StateRefusal } from "./claims.js";
import type { Principal } from "./principal.js";

/** What the request at hand says of itself, for a state to be held against. */
export interface Expected {
  readonly principal: Principal | undefined;
  /** Digest of the request at hand; computed only once everything before it has verified. */
  readonly request: () => string;
}

/**
 * What opening came to. `tell` is set only when everything up to principal and request has
 * verified: then the rightful owner may learn that the state has `expired`.
 */
export type Opened =
  { ok: true; claims: Claims } | { ok: false; refusal: StateRefusal; tell: "expired" | undefined };

/**
 * A state that was opened before the request it came with was known. It gives its claims only for
 * the request they are bound to.
 */
export interface Unbound {
  /** Holds the state against the digest of the request at hand, and then against the time again. */
  bind(request: string): Opened;
}

/** What opening a state early came to. */
export type OpenedEarly = { ok: true; state: Unbound } | { ok: false; refusal: StateRefusal };

/** Seals and opens request states: a codec, the key ring and the claim checks in one. */
export interface States {
  /** Throws `state_too_large` when the token would exceed the limit. */
  seal(claims: Claims, principal: Principal | undefined): Awaitable<string>;
  /** Never throws for anything the client sent. */
  open(token: unknown, expected: Expected): Awaitable<Opened>;
  /**
   * Like `open`, where a state has to be refused before its request is known: everything but the
   * request is checked at once, the time too. Never throws for anything the client sent.
   */
  openEarly(token: unknown, principal: Principal | undefined): Awaitable<OpenedEarly>;
}
