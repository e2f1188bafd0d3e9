import { createCipheriv, createDecipheriv, type Cipher, type KeyObject } from "node:crypto";

export const NONCE_BYTES = 24;
export const TAG_BYTES = 16;
/** ECB takes none; Node would take null for it, Cloudflare Workers only what is empty. */
const NO_IV = Buffer.alloc(0);

/**
 * XAES-256-GCM: AES-256-GCM under a key derived from 12 of 24 nonce bytes, so that random nonces
 * are safe for 2^80 messages under one key. Specification: c2sp.org/XAES-256-GCM.
 *
 * A box is nonce (24 bytes), ciphertext, tag (16 bytes), in one piece of memory.
 *
 * 1. The caller never uses a nonce twice under one key.
 * 2. The tag is always 16 bytes, whatever came in.
 * 3. No plaintext is given out before its tag has verified.
 */
export class Xaes256Gcm {
  // Lives as long as the key. ECB keeps no state from block to block, and setting a cipher up for
  // each derivation would cost more than the derivation.
  readonly #block: Cipher;
  // M1 xor K1 and M2 xor K1 of the specification, with the nonce's bytes still to be mixed in.
  readonly #masked: Buffer;
  readonly #input = Buffer.alloc(32);

  constructor(key: KeyObject | Uint8Array) {
    this.#block = createCipheriv("aes-256-ecb", key, NO_IV).setAutoPadding(false);
    const k1 = double(this.#block.update(Buffer.alloc(16)));
    this.#masked = Buffer.concat([k1, k1]);
    this.#masked.writeInt32BE(k1.readInt32BE(0) ^ 0x0001_5800, 0);
    this.#masked.writeInt32BE(k1.readInt32BE(0) ^ 0x0002_5800, 16);
    this.#masked.copy(this.#input);
  }

  /**
   * Encrypts in place. From `at` on `box` holds the nonce, the plaintext and 16 bytes of room for
   * the tag, up to its end.
   */
  seal(box: Buffer, at: number, aad: Uint8Array): void {
    const textAt = at + NONCE_BYTES;
    const tagAt = box.length - TAG_BYTES;
    const cipher = createCipheriv(
      "aes-256-gcm",
      this.#derive(box, at),
      box.subarray(at + 12, textAt),
    );
    cipher.setAAD(aad);
    box.set(cipher.update(box.subarray(textAt, tagAt)), textAt);
    cipher.final();
    box.set(cipher.getAuthTag(), tagAt);
  }

  /** The plaintext of the box that starts at `at`, or undefined where it does not verify. */
  open(box: Buffer, at: number, aad: Uint8Array): Buffer | undefined {
    const textAt = at + NONCE_BYTES;
    const tagAt = box.length - TAG_BYTES;
    if (tagAt < textAt) return undefined;
    const nonce = box.subarray(at + 12, textAt);
    const decipher = createDecipheriv("aes-256-gcm", this.#derive(box, at), nonce);
    decipher.setAAD(aad).setAuthTag(box.subarray(tagAt));
    const plaintext = decipher.update(box.subarray(textAt, tagAt));
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return plaintext;
  }

  /** The AES-256-GCM key for a nonce: two blocks of CMAC in counter mode. */
  #derive(box: Buffer, at: number): Buffer {
    const input = this.#input;
    const masked = this.#masked;
    for (let i = 0; i < 12; i += 4) {
      const word = box.readInt32BE(at + i) ^ masked.readInt32BE(4 + i);
      input.writeInt32BE(word, 4 + i);
      input.writeInt32BE(word, 20 + i);
    }
    return this.#block.update(input);
  }
}

/** Doubles a block in the field of CMAC (NIST SP 800-38B, 6.1), without a branch on its bits. */
function double(block: Buffer): Buffer {
  const doubled = Buffer.alloc(16);
  let carry = 0;
  for (let i = 15; i >= 0; i -= 1) {
    const byte = block.readUInt8(i);
    doubled.writeUInt8(((byte << 1) & 0xff) | carry, i);
    carry = byte >>> 7;
  }
  doubled.writeUInt8(doubled.readUInt8(15) ^ (carry * 0b1000_0111), 15);
  return doubled;
}
