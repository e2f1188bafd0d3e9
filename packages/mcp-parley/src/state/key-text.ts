import { ParleyError } from "../protocol/errors.js";
import { decodeBase64url } from "./base64url.js";
import { systemRandom, type Random } from "./random.js";

/** Bytes in a key: 256 bits. */
export const KEY_BYTES = 32;

/** Random keys show about 30 different byte values; a pattern or a filler shows few. */
const LEAST_DISTINCT_BYTES = 16;

const HOW = "Make one with `parley keys new`, or with 32 bytes from a random generator, base64url.";

/** A new key: 32 random bytes, base64url. */
export function newKeyText(random: Random = systemRandom): string {
  const bytes = Buffer.alloc(KEY_BYTES);
  random.fill(bytes, 0, KEY_BYTES);
  return bytes.toString("base64url");
}

/**
 * The bytes of a key given as base64url, base64 or hexadecimal text. Throws `key_invalid` for
 * anything but exactly 32 bytes, and for what is plainly not random: a passphrase has far fewer
 * than 256 bits however long it is. The text itself is never part of the message.
 */
export function parseKeyText(text: string): Buffer {
  const given = text.trim();
  const bytes = decode(given);
  if (bytes?.length !== KEY_BYTES) {
    throw new ParleyError(
      "key_invalid",
      `A key is 32 random bytes as base64url, base64 or hexadecimal; this is ${given.length} characters that are not. ${HOW}`,
    );
  }
  if (new Set(bytes).size < LEAST_DISTINCT_BYTES || looksTyped(given)) {
    throw new ParleyError(
      "key_invalid",
      `A key has to be random; this one is 32 bytes long but follows a pattern. ${HOW}`,
    );
  }
  return bytes;
}

function decode(text: string): Buffer | undefined {
  if (/^[0-9A-Fa-f]{64}$/.test(text)) return Buffer.from(text, "hex");
  // Both alphabets are one to Node; written back in one of them, a proper text is unchanged.
  const bare = text.replace(/=$/, "").replaceAll("+", "-").replaceAll("/", "_");
  return decodeBase64url(bare);
}

/** Base64 of random bytes mixes cases; words in lower case that happen to fit the length do not. */
function looksTyped(text: string): boolean {
  if (text.length === 2 * KEY_BYTES) return false;
  return !/[A-Z]/.test(text) || !/[a-z]/.test(text);
}
