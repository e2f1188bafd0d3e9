import { isObject } from "../protocol/json.js";
import type { Asked, Claims } from "./claims.js";

/** Version of the payload inside a token, whatever the codec. */
export const PAYLOAD_VERSION = 1;

/** Claims, with what only sealing and checking them needs. */
export interface Payload {
  readonly audience: string;
  /** The principal's tag. */
  readonly principal: string;
  readonly claims: Claims;
}

/** The payload's JSON text. Throws where the journal is no JSON. */
export function encodePayload({ audience, principal, claims }: Payload): string {
  return JSON.stringify({
    v: PAYLOAD_VERSION,
    aud: audience,
    sub: principal,
    req: claims.request,
    iat: claims.issuedAt,
    exp: claims.expiresAt,
    end: claims.deadline,
    flow: claims.flow,
    use: claims.use,
    round: claims.round,
    epoch: claims.epoch,
    asked: claims.asked.map(({ key, digest }) => [key, digest]),
    journal: claims.journal,
  });
}

/**
 * Reads a payload. It comes out of a valid token, and still nothing is assumed of it: another
 * program may share the key.
 */
export function decodePayload(text: string): Payload | "state_malformed" | "state_version" {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "state_malformed";
  }
  if (!isObject(value)) return "state_malformed";
  if (value["v"] !== PAYLOAD_VERSION) return "state_version";
  const { aud, sub, req, iat, exp, end, flow, use, round, epoch, journal } = value as Wire;
  const asked = decodeAsked(value["asked"]);
  if (
    typeof aud !== "string" ||
    typeof sub !== "string" ||
    typeof req !== "string" ||
    !isTime(iat) ||
    !isTime(exp) ||
    !isTime(end) ||
    typeof flow !== "string" ||
    typeof use !== "string" ||
    !isTime(round) ||
    (typeof epoch !== "string" && epoch !== null) ||
    asked === undefined ||
    journal === undefined
  ) {
    return "state_malformed";
  }
  return {
    audience: aud,
    principal: sub,
    claims: {
      request: req,
      issuedAt: iat,
      expiresAt: exp,
      deadline: end,
      flow,
      use,
      round,
      epoch,
      asked,
      journal: journal as Claims["journal"],
    },
  };
}

type Wire = Partial<
  Record<
    "aud" | "sub" | "req" | "iat" | "exp" | "end" | "flow" | "use" | "round" | "epoch" | "journal",
    unknown
  >
>;

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function decodeAsked(value: unknown): Asked[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const asked: Asked[] = [];
  for (const entry of value as readonly unknown[]) {
    if (!Array.isArray(entry)) return undefined;
    const [key, digest] = entry as readonly unknown[];
    if (typeof key !== "string" || typeof digest !== "string") return undefined;
    asked.push({ key, digest });
  }
  return asked;
}
