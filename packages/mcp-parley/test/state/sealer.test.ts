import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyRing } from "../../src/state/ring.js";
import { SEAL_OVERHEAD, Sealer, sealUnder } from "../../src/state/sealer.js";
import { countingRandom, testKey } from "./fixtures.js";

const ring = keyRing([testKey(1), testKey(2)]);
const sealer = new Sealer(ring);

describe("the sealer", () => {
  it("opens what it sealed, bytes or text, whatever it is bound to", () => {
    const binds = fc.array(fc.string(), { maxLength: 3 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), binds, (bytes, bind) => {
        const opened = sealer.open("value", sealer.seal("value", bytes, bind), bind);
        expect(Buffer.isBuffer(opened) && opened.equals(bytes)).toBe(true);
      }),
    );
    expect(sealer.open("value", sealer.seal("value", "grüße 😀")).toString()).toBe("grüße 😀");
  });

  it("seals under the primary and opens under every enabled key", () => {
    const old = new Sealer(keyRing([testKey(2)])).seal("value", "x");
    expect(old.subarray(0, 8).toString("hex")).toBe(ring.ids[1]);
    expect(sealer.open("value", old).toString()).toBe("x");
    expect(sealer.seal("value", "x").subarray(0, 8).toString("hex")).toBe(ring.ids[0]);
    expect(new Sealer(keyRing([testKey(1)])).open("value", old)).toBe("state_unknown_key");
  });

  it("does not open for another purpose or place", () => {
    const bytes = sealer.seal("value", "x", ["row", "1"]);
    expect(sealer.open("value", bytes, ["row", "1"]).toString()).toBe("x");
    expect(sealer.open("state", bytes, ["row", "1"])).toBe("state_forged");
    for (const bind of [[], ["row"], ["row1"], ["row", "1", ""], ["ro", "w1"], ["1", "row"]]) {
      expect(sealer.open("value", bytes, bind)).toBe("state_forged");
    }
  });

  it("refuses a key id put on another key's seal", () => {
    const bytes = sealer.seal("value", "x");
    bytes.set(Buffer.from(ring.ids[1]!, "hex"));
    expect(sealer.open("value", bytes)).toBe("state_forged");
  });

  it("refuses what is too short to be a seal", () => {
    const bytes = sealer.seal("value", "");
    expect(bytes.length).toBe(SEAL_OVERHEAD);
    expect(sealer.open("value", bytes).length).toBe(0);
    for (let length = 0; length < SEAL_OVERHEAD; length += 1) {
      expect(sealer.open("value", bytes.subarray(0, length))).toBe("state_malformed");
    }
  });

  it("takes a view into other memory for what it is", () => {
    const bytes = sealer.seal("value", "x");
    const around = new Uint8Array(bytes.length + 7).fill(1);
    around.set(bytes, 3);
    expect(sealer.open("value", around.subarray(3, 3 + bytes.length)).toString()).toBe("x");
  });

  it("never uses a nonce twice", () => {
    const nonces = new Set<string>();
    for (let i = 0; i < 1000; i += 1) {
      nonces.add(sealer.seal("value", "same").toString("hex", 8, 32));
    }
    expect(nonces.size).toBe(1000);
  });

  it("takes nonces from the source it is given", () => {
    const bytes = sealUnder(ring.primary, { purpose: "value" }, "x", countingRandom());
    expect(bytes.toString("hex", 8, 32)).toBe("000102030405060708090a0b0c0d0e0f1011121314151617");
  });

  it("pads with spaces to the next step", () => {
    const lengths = [0, 1, 15, 16, 17].map((length) => {
      const use = { purpose: "value", step: 16 };
      return sealUnder(ring.primary, use, "x".repeat(length)).length - SEAL_OVERHEAD;
    });
    expect(lengths).toEqual([0, 16, 16, 16, 32]);
    const padded = sealUnder(ring.primary, { purpose: "value", step: 16 }, "é".repeat(5));
    expect(sealer.open("value", padded).toString()).toBe("ééééé      ");
  });
});
