import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { StateCodec } from "../../src/state/codec.js";

/** A codec of one's own: ChaCha20-Poly1305 under a key derived from the ring's. */
export const chacha: StateCodec = {
  name: "chacha",
  seal(payload, { key }) {
    const nonce = randomBytes(12);
    const options = { authTagLength: 16 };
    const cipher = createCipheriv("chacha20-poly1305", key.derive("chacha"), nonce, options);
    const text = Buffer.concat([cipher.update(payload, "utf8"), cipher.final()]);
    return `${key.id}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("hex")}`;
  },
  open(token, keys) {
    const [, id = "", hex = ""] = /^([0-9a-f]{16})\.((?:[0-9a-f]{2}){28,})$/.exec(token) ?? [];
    if (hex === "") return "state_malformed";
    const key = keys.find(id);
    if (key === undefined) return "state_unknown_key";
    const bytes = Buffer.from(hex, "hex");
    const options = { authTagLength: 16 };
    const nonce = bytes.subarray(0, 12);
    const decipher = createDecipheriv("chacha20-poly1305", key.derive("chacha"), nonce, options);
    decipher.setAuthTag(bytes.subarray(12, 28));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
      return { payload: text.toString("utf8"), key };
    } catch {
      return "state_forged";
    }
  },
};
