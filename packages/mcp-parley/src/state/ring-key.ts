import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { parseKeyText } from "./key-text.js";
import { tuple } from "./tuple.js";
import { Xaes256Gcm } from "./xaes.js";

/** Version of everything protected by a key of a ring. Part of every derivation and seal. */
export const FORMAT = "parley1";

/** What Node calls to show a value: `util.inspect.custom`, without its module. */
export const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** Bytes in a key id. */
export const KEY_ID_BYTES = 8;

/** A cipher for one purpose, with the associated data that is the same for each of its boxes. */
export interface Sealing {
  readonly cipher: Xaes256Gcm;
  readonly aad: Buffer;
}

/**
 * One key of a ring. It shows its id and nothing else: printed, inspected, or turned into JSON.
 * The key itself is only ever an input to derivation, one sub-key for each purpose.
 * Purposes are constants of the program, never anything a client sent.
 */
export class RingKey {
  /** Fingerprint of the key: 16 hexadecimal digits. Not secret. */
  readonly id: string;
  /** The same as bytes. */
  readonly idBytes: Buffer;
  readonly #secret: KeyObject;
  readonly #sealings = new Map<string, Sealing>();
  readonly #macKeys = new Map<string, KeyObject>();

  /** From 32 random bytes, encoded. Throws `key_invalid`. */
  constructor(text: string) {
    const bytes = parseKeyText(text);
    this.#secret = createSecretKey(bytes);
    this.idBytes = createHash("sha256")
      .update(tuple([FORMAT, "key id", bytes]))
      .digest()
      .subarray(0, KEY_ID_BYTES);
    this.id = this.idBytes.toString("hex");
    bytes.fill(0);
  }

  /** A sub-key of 32 bytes for a custom codec's own `purpose`: HKDF-SHA256. */
  derive(purpose: string): KeyObject {
    return this.#derive("custom", purpose);
  }

  /** The cipher for a purpose of this package. */
  sealing(purpose: string): Sealing {
    let sealing = this.#sealings.get(purpose);
    if (sealing === undefined) {
      sealing = {
        cipher: new Xaes256Gcm(this.#derive("seal", purpose)),
        aad: tuple([FORMAT, this.idBytes, purpose]),
      };
      this.#sealings.set(purpose, sealing);
    }
    return sealing;
  }

  /** HMAC-SHA-256 of `data` under the sub-key for a purpose of this package. */
  mac(purpose: string, data: Uint8Array): Buffer {
    let key = this.#macKeys.get(purpose);
    if (key === undefined) {
      key = this.#derive("mac", purpose);
      this.#macKeys.set(purpose, key);
    }
    return createHmac("sha256", key).update(data).digest();
  }

  #derive(kind: string, purpose: string): KeyObject {
    const info = tuple([FORMAT, kind, purpose]);
    return createSecretKey(Buffer.from(hkdfSync("sha256", this.#secret, "", info, 32)));
  }

  toString(): string {
    return `RingKey ${this.id}`;
  }

  toJSON(): { id: string } {
    return { id: this.id };
  }

  [INSPECT](): string {
    return this.toString();
  }
}
