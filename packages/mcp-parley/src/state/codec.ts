import type { Awaitable } from "../protocol/json.js";
import type { RingKey } from "./ring-key.js";
import type { KeyRing } from "./ring.js";

/** What a codec may know of the state it protects. Times are ms since 1970. */
export interface SealContext {
  /** The ring's primary: the payload's principal is bound under it. */
  readonly key: RingKey;
  /** The flow's id. */
  readonly flow: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The end of the flow, however often its state is renewed. */
  readonly deadline: number;
  /** Whose share of a store the state takes; undefined for an anonymous caller. */
  readonly holder: string | undefined;
}

/** What a codec recovered: the payload, and the key of the ring it was sealed with. */
export interface Unsealed {
  readonly payload: string;
  readonly key: RingKey;
}

/** Why a codec recovered nothing. */
export type CodecRefusal =
  "state_malformed" | "state_unknown_key" | "state_forged" | "state_expired" | "state_revoked";

/**
 * How a state's payload, a JSON text, becomes the token the client carries, and how it comes
 * back. The claims inside are checked alike over every codec; a codec answers for two things:
 *
 * 1. `open` gives a payload only if `seal` made exactly that token for exactly that payload.
 * 2. `open` gives the key that `seal` was given, while the ring still holds it, found by its id.
 *
 * `open` refuses with a code and never throws for anything in the token; a throw means that
 * something it depends on is out of reach, and the request fails with an internal error.
 */
export interface StateCodec {
  /** A short name for messages, such as `sealed`. */
  readonly name: string;
  seal(payload: string, context: SealContext): Awaitable<string>;
  open(token: string, keys: KeyRing): Awaitable<Unsealed | CodecRefusal>;
}
