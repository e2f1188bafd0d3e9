import type { KeyRing } from "./ring.js";
import { KEY_ID_BYTES, type RingKey, type Sealing } from "./ring-key.js";
import { systemRandom, type Random } from "./random.js";
import { tuple } from "./tuple.js";
import { NONCE_BYTES, TAG_BYTES } from "./xaes.js";

/** Why sealed bytes were not opened. */
export type SealRefusal = "state_malformed" | "state_unknown_key" | "state_forged";

const TEXT_AT = KEY_ID_BYTES + NONCE_BYTES;

/** Bytes a seal adds to what it seals. */
export const SEAL_OVERHEAD = TEXT_AT + TAG_BYTES;

/** What a seal is for. */
export interface SealUse {
  /** A constant of the program, never a client's words: every purpose has its own sub-key. */
  readonly purpose: string;
  /** Where the sealed bytes belong: opened with anything else they are forged. */
  readonly bind?: readonly string[];
  /** Pads with spaces to a multiple of so many bytes. */
  readonly step?: number;
}

/**
 * Seals under one key: key id (8 bytes), nonce (24), ciphertext, tag (16). Associated data is
 * the format, the key id, the purpose and each part of `bind`, all with their lengths.
 */
export function sealUnder(
  key: RingKey,
  use: SealUse,
  plaintext: string | Uint8Array,
  random: Random = systemRandom,
): Buffer {
  const length =
    typeof plaintext === "string" ? Buffer.byteLength(plaintext) : plaintext.byteLength;
  const step = use.step ?? 1;
  const padded = Math.ceil(length / step) * step;
  const box = Buffer.allocUnsafe(SEAL_OVERHEAD + padded);
  box.set(key.idBytes, 0);
  random.fill(box, KEY_ID_BYTES, NONCE_BYTES);
  if (typeof plaintext === "string") box.write(plaintext, TEXT_AT);
  else box.set(plaintext, TEXT_AT);
  box.fill(0x20, TEXT_AT + length, TEXT_AT + padded);
  const sealing = key.sealing(use.purpose);
  sealing.cipher.seal(box, KEY_ID_BYTES, associated(sealing, use.bind));
  return box;
}

/** Opens what {@link sealUnder} sealed for the same use, or gives undefined: forged. */
export function openUnder(key: RingKey, use: SealUse, box: Buffer): Buffer | undefined {
  const sealing = key.sealing(use.purpose);
  return sealing.cipher.open(box, KEY_ID_BYTES, associated(sealing, use.bind));
}

/** The enabled key that sealed bytes name, or why there is none. No other key is ever tried. */
export function sealingKey(
  keys: KeyRing,
  box: Buffer,
): RingKey | "state_malformed" | "state_unknown_key" {
  if (box.length < SEAL_OVERHEAD) return "state_malformed";
  return keys.find(box.toString("hex", 0, KEY_ID_BYTES)) ?? "state_unknown_key";
}

/** Seals bytes under a ring: the primary seals, the enabled key that the bytes name opens. */
export class Sealer {
  readonly #keys: KeyRing;
  readonly #random: Random;

  constructor(keys: KeyRing, random: Random = systemRandom) {
    this.#keys = keys;
    this.#random = random;
  }

  /** See {@link SealUse} for `purpose` and `bind`. */
  seal(purpose: string, plaintext: string | Uint8Array, bind: readonly string[] = []): Buffer {
    return sealUnder(this.#keys.primary, { purpose, bind }, plaintext, this.#random);
  }

  /** The plaintext, or why there is none. Never throws for anything in `bytes`. */
  open(purpose: string, bytes: Uint8Array, bind: readonly string[] = []): Buffer | SealRefusal {
    const box = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const key = sealingKey(this.#keys, box);
    if (typeof key === "string") return key;
    return openUnder(key, { purpose, bind }, box) ?? "state_forged";
  }
}

function associated(sealing: Sealing, bind: readonly string[] | undefined): Buffer {
  if (bind === undefined || bind.length === 0) return sealing.aad;
  return Buffer.concat([sealing.aad, tuple(bind)]);
}
