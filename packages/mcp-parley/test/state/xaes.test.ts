import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NONCE_BYTES, TAG_BYTES, Xaes256Gcm } from "../../src/state/xaes.js";

const NONCE = "ABCDEFGHIJKLMNOPQRSTUVWX";

function sealBox(key: Uint8Array, nonce: Uint8Array, text: Uint8Array, aad: Uint8Array): Buffer {
  const box = Buffer.concat([nonce, text, Buffer.alloc(TAG_BYTES)]);
  new Xaes256Gcm(key).seal(box, 0, aad);
  return box;
}

describe("XAES-256-GCM as c2sp.org/XAES-256-GCM specifies it", () => {
  // The first key has a clear top bit in the block that becomes K1, the second a set one.
  it.each([
    [0x01, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"],
    [0x03, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"],
  ])("gives the published ciphertext for key %i", (byte, aad, expected) => {
    const key = Buffer.alloc(32, byte);
    const box = sealBox(key, Buffer.from(NONCE), Buffer.from("XAES-256-GCM"), Buffer.from(aad));
    expect(box.subarray(0, NONCE_BYTES).toString()).toBe(NONCE);
    expect(box.subarray(NONCE_BYTES).toString("hex")).toBe(expected);
    expect(new Xaes256Gcm(key).open(box, 0, Buffer.from(aad))?.toString()).toBe("XAES-256-GCM");
  });

  it("gives the published hash over 10,000 random messages", () => {
    const rounds = 10_000;
    const stream = createHash("shake128", { outputLength: rounds * (58 + 2 * 255) }).digest();
    expect(stream.toString("hex", 0, 16)).toBe("7f9c2ba4e88f827d616045507605853e");
    let at = 0;
    const read = (size: number): Buffer => stream.subarray(at, (at += size));
    const all = createHash("shake128", { outputLength: 32 });
    for (let round = 0; round < rounds; round += 1) {
      const key = read(32);
      const nonce = read(NONCE_BYTES);
      const text = read(read(1).readUInt8());
      const aad = read(read(1).readUInt8());
      const cipher = new Xaes256Gcm(key);
      const box = Buffer.concat([nonce, text, Buffer.alloc(TAG_BYTES)]);
      cipher.seal(box, 0, aad);
      all.update(box.subarray(NONCE_BYTES));
      if (!cipher.open(box, 0, aad)?.equals(text)) throw new Error(`round ${round} did not open`);
    }
    expect(all.digest("hex")).toBe(
      "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939",
    );
  });
});

describe("a box", () => {
  const key = Buffer.alloc(32, 7);
  const aad = Buffer.from("context");
  const box = sealBox(key, Buffer.alloc(NONCE_BYTES, 9), Buffer.from("hello, parley"), aad);

  it("does not open with any one bit changed, under other data or another key", () => {
    const cipher = new Xaes256Gcm(key);
    for (let bit = 0; bit < box.length * 8; bit += 1) {
      const changed = Buffer.from(box);
      changed.writeUInt8(changed.readUInt8(bit >>> 3) ^ (1 << (bit & 7)), bit >>> 3);
      expect(cipher.open(changed, 0, aad)).toBeUndefined();
    }
    expect(cipher.open(box, 0, Buffer.from("contexu"))).toBeUndefined();
    expect(new Xaes256Gcm(Buffer.alloc(32, 8)).open(box, 0, aad)).toBeUndefined();
    expect(cipher.open(box, 0, aad)?.toString()).toBe("hello, parley");
  });

  it("does not open when cut short, however short", () => {
    const cipher = new Xaes256Gcm(key);
    for (let length = 0; length < box.length; length += 1) {
      expect(cipher.open(box.subarray(0, length), 0, aad)).toBeUndefined();
    }
  });

  it("leaves what lies before it alone, and many boxes share one cipher", () => {
    const cipher = new Xaes256Gcm(key);
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 300 });
    const nonces = fc.uint8Array({ minLength: NONCE_BYTES, maxLength: NONCE_BYTES });
    fc.assert(
      fc.property(bytes, nonces, bytes, bytes, (head, nonce, text, data) => {
        const whole = Buffer.concat([head, nonce, text, Buffer.alloc(TAG_BYTES)]);
        cipher.seal(whole, head.length, data);
        expect(whole.subarray(0, head.length).equals(head)).toBe(true);
        expect(cipher.open(whole, head.length, data)?.equals(text)).toBe(true);
        expect(whole.subarray(head.length).equals(sealBox(key, nonce, text, data))).toBe(true);
      }),
    );
  });
});
