import { decodeBase64url } from "./base64url.js";
import type { CodecRefusal, SealContext, StateCodec, Unsealed } from "./codec.js";
import { systemRandom, type Random } from "./random.js";
import type { KeyRing } from "./ring.js";
import { openUnder, sealUnder, sealingKey, type SealUse } from "./sealer.js";

/** Begins every token of this codec. Another construction would have another prefix. */
const PREFIX = "p1.";

/** Payloads grow in steps of so many bytes, so that length does not tell a yes from a no. */
export const PAD_STEP = 256;

const USE: SealUse = { purpose: "state", step: PAD_STEP };

/**
 * The default codec: authenticated encryption under the ring, so that nobody but the fleet reads
 * or makes a state. Token: `p1.`, then base64url of key id, nonce, ciphertext and tag.
 * A token has one spelling; any other is refused before any cryptography.
 */
export function sealed(random: Random = systemRandom): StateCodec {
  return {
    name: "sealed",
    seal(payload: string, { key }: SealContext): string {
      return PREFIX + sealUnder(key, USE, payload, random).toString("base64url");
    },
    open(token: string, keys: KeyRing): Unsealed | CodecRefusal {
      if (!token.startsWith(PREFIX)) return "state_malformed";
      const box = decodeBase64url(token.slice(PREFIX.length));
      if (box === undefined) return "state_malformed";
      const key = sealingKey(keys, box);
      if (typeof key === "string") return key;
      const payload = openUnder(key, USE, box);
      // Padding is left on: it is white space around JSON.
      return payload === undefined ? "state_forged" : { payload: payload.toString(), key };
    },
  };
}
