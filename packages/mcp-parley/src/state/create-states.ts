import { ParleyError } from "../protocol/errors.js";
import { chain, type Awaitable } from "../protocol/json.js";
import type { Claims, StateRefusal } from "./claims.js";
import type { CodecRefusal, StateCodec, Unsealed } from "./codec.js";
import { decodePayload, encodePayload, type Payload } from "./payload.js";
import { PrincipalTags } from "./principal-tag.js";
import type { Principal } from "./principal.js";
import type { RingKey } from "./ring-key.js";
import type { KeyRing } from "./ring.js";
import { sameText } from "./same-text.js";
import { sealed } from "./sealed.js";
import type { Expected, Opened, States } from "./states.js";

/** Longest token, in characters, unless said otherwise: 32 KiB. */
export const MAX_TOKEN = 32 * 1024;

/** How far the clock that issued a state may run ahead of the one that opens it: 60 s, in ms. */
export const CLOCK_SKEW = 60_000;

/** What {@link createStates} is made of. */
export interface StatesOptions {
  readonly keys: KeyRing;
  /** The server's name: a state of one server is nothing to another that shares its keys. */
  readonly audience: string;
  /** Default: {@link sealed}. */
  readonly codec?: StateCodec;
  /** Longest token, in characters. Default 32768. */
  readonly maxToken?: number;
}

/**
 * Seals and opens request states.
 *
 * 1. A token's size is checked before anything else is done with it.
 * 2. Claims are checked in one order over every codec: format version, audience, principal,
 *    request, issued-at, expiry, deadline.
 * 3. Only who has passed up to the request is told that a state has expired.
 *
 * `seal` throws `state_too_large`, and `usage` for a principal that is not well-formed Unicode.
 * Specification: basic/patterns/mrtr, server requirements 4 and 5.
 */
export function createStates(options: StatesOptions, now: () => number = Date.now): States {
  const { keys, audience } = options;
  const codec = options.codec ?? sealed();
  const maxToken = options.maxToken ?? MAX_TOKEN;
  const tags = new PrincipalTags("state principal");

  function check({ payload, key }: Unsealed, expected: Expected): Opened {
    const decoded = decodePayload(payload);
    if (typeof decoded === "string") return refused(decoded);
    return judge(decoded, key, expected);
  }

  function judge(payload: Payload, key: RingKey, expected: Expected): Opened {
    const { claims } = payload;
    if (payload.audience !== audience) return refused("state_audience");
    const tag = tags.tag(key, expected.principal);
    if (tag === undefined || !sameText(tag, payload.principal)) return refused("state_principal");
    if (!sameText(expected.request(), claims.request)) return refused("state_request");
    const time = now();
    if (claims.issuedAt > time + CLOCK_SKEW) return refused("state_not_yet");
    if (claims.expiresAt <= time) return refused("state_expired", "expired");
    if (claims.deadline <= time) return refused("state_deadline", "expired");
    return { ok: true, claims };
  }

  return {
    seal(claims: Claims, principal: Principal | undefined): Awaitable<string> {
      const key = keys.primary;
      const tag = tags.tag(key, principal);
      if (tag === undefined) {
        throw new ParleyError(
          "usage",
          "The principal is not well-formed Unicode. Refuse such a caller when it authenticates.",
        );
      }
      const payload = encodePayload({ audience, principal: tag, claims });
      // A codec may keep the payload elsewhere, so that only the token's own size counts.
      const token = codec.seal(payload, {
        key,
        flow: claims.flow,
        issuedAt: claims.issuedAt,
        expiresAt: claims.expiresAt,
        deadline: claims.deadline,
        holder: principal === undefined ? undefined : tag,
      });
      return chain(token, (text) => {
        if (text.length > maxToken) throw tooLarge(text.length, maxToken, claims);
        return text;
      });
    },

    open(token: unknown, expected: Expected): Awaitable<Opened> {
      if (typeof token !== "string") return refused("state_malformed");
      if (token.length > maxToken) return refused("state_too_large");
      return chain(codec.open(token, keys), (opened: Unsealed | CodecRefusal) =>
        typeof opened === "string" ? refused(opened) : check(opened, expected),
      );
    },
  };
}

function refused(refusal: StateRefusal, tell?: "expired"): Opened {
  return { ok: false, refusal, tell };
}

function tooLarge(length: number, limit: number, { journal, asked }: Claims): ParleyError {
  const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  return new ParleyError(
    "state_too_large",
    `The state of this flow is ${length} characters long and the limit is ${limit}: ` +
      `${bytes(journal)} bytes of recorded answers and values, ${bytes(asked)} of open questions. ` +
      "Keep a handle to a large value instead of the value, or keep states in a store with the `stored` codec.",
  );
}
