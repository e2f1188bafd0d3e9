import { timingSafeEqual } from "node:crypto";
import { decodeBase64url } from "./base64url.js";
import type { CodecRefusal, SealContext, StateCodec, Unsealed } from "./codec.js";
import { FORMAT, KEY_ID_BYTES, type RingKey } from "./ring-key.js";
import type { KeyRing } from "./ring.js";
import { tuple } from "./tuple.js";

/** Begins every token of this codec. */
const PREFIX = "s1.";
const PURPOSE = "signed state";
const MAC_BYTES = 32;

/**
 * A codec whose tokens anyone can read and nobody but the fleet can make: HMAC-SHA-256 under the
 * ring. Token: `s1.`, base64url of the payload, `.`, base64url of key id and MAC. Answers, values
 * and questions lie open in it: never for a flow that holds what the client may not see. Use it
 * where states have to be read while debugging, or by something between client and server.
 */
export function signed(): StateCodec {
  return {
    name: "signed",
    seal(payload: string, { key }: SealContext): string {
      const bytes = Buffer.from(payload, "utf8");
      const proof = Buffer.concat([key.idBytes, macOf(key, bytes)]);
      return `${PREFIX}${bytes.toString("base64url")}.${proof.toString("base64url")}`;
    },
    open(token: string, keys: KeyRing): Unsealed | CodecRefusal {
      if (!token.startsWith(PREFIX)) return "state_malformed";
      const dot = token.indexOf(".", PREFIX.length);
      if (dot === -1) return "state_malformed";
      const bytes = decodeBase64url(token.slice(PREFIX.length, dot));
      const proof = decodeBase64url(token.slice(dot + 1));
      if (bytes === undefined || proof?.length !== KEY_ID_BYTES + MAC_BYTES) {
        return "state_malformed";
      }
      const key = keys.find(proof.toString("hex", 0, KEY_ID_BYTES));
      if (key === undefined) return "state_unknown_key";
      if (!timingSafeEqual(macOf(key, bytes), proof.subarray(KEY_ID_BYTES))) return "state_forged";
      return { payload: bytes.toString("utf8"), key };
    },
  };
}

function macOf(key: RingKey, payload: Buffer): Buffer {
  return key.mac(PURPOSE, tuple([FORMAT, key.idBytes, PURPOSE, payload]));
}
