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
import type { Expected, Opened, OpenedEarly, States } from "./states.js";

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

  function open<T>(
    token: unknown,
    refuse: (refusal: StateRefusal) => T,
    judge: (payload: Payload, key: RingKey) => T,
  ): Awaitable<T> {
    if (typeof token !== "string") return refuse("state_malformed");
    if (token.length > maxToken) return refuse("state_too_large");
    return chain(codec.open(token, keys), (opened: Unsealed | CodecRefusal) => {
      if (typeof opened === "string") return refuse(opened);
      const payload = decodePayload(opened.payload);
      return typeof payload === "string" ? refuse(payload) : judge(payload, opened.key);
    });
  }

  /** Whether the state is this server's and the caller's. */
  function foreign(
    payload: Payload,
    key: RingKey,
    principal: Principal | undefined,
  ): StateRefusal | undefined {
    if (payload.audience !== audience) return "state_audience";
    const tag = tags.tag(key, principal);
    if (tag === undefined || !sameText(tag, payload.principal)) return "state_principal";
    return undefined;
  }

  function bound(claims: Claims, request: string): Opened {
    if (!sameText(request, claims.request)) return refused("state_request");
    const refusal = untimely(claims, now());
    if (refusal === undefined) return { ok: true, claims };
    return { ok: false, refusal, tell: refusal === "state_not_yet" ? undefined : "expired" };
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
      return open<Opened>(token, refused, (payload, key) => {
        const refusal = foreign(payload, key, expected.principal);
        if (refusal !== undefined) return refused(refusal);
        return bound(payload.claims, expected.request());
      });
    },

    openEarly(token: unknown, principal: Principal | undefined): Awaitable<OpenedEarly> {
      const refuse = (refusal: StateRefusal): OpenedEarly => ({ ok: false, refusal });
      return open<OpenedEarly>(token, refuse, (payload, key) => {
        const { claims } = payload;
        const refusal = foreign(payload, key, principal) ?? untimely(claims, now());
        if (refusal !== undefined) return refuse(refusal);
        return { ok: true, state: { bind: (request) => bound(claims, request) } };
      });
    },
  };
}

/** Whether the state's time has not come or is over. */
function untimely(
  claims: Claims,
  time: number,
): "state_not_yet" | "state_expired" | "state_deadline" | undefined {
  if (claims.issuedAt > time + CLOCK_SKEW) return "state_not_yet";
  if (claims.expiresAt <= time) return "state_expired";
  if (claims.deadline <= time) return "state_deadline";
  return undefined;
}

function refused(refusal: StateRefusal): Opened {
  return { ok: false, refusal, tell: undefined };
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
