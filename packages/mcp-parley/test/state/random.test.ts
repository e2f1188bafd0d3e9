import { describe, expect, it } from "vitest";
import { pooledRandom, systemRandom } from "../../src/state/random.js";

function counted(): { random: ReturnType<typeof pooledRandom>; refills: () => number } {
  let refills = 0;
  const random = pooledRandom((pool) => {
    refills += 1;
    // Each 4-byte word of all blocks ever drawn is different.
    for (let i = 0; i < pool.length; i += 4) pool.writeUInt32BE(refills * 65536 + i, i);
  });
  return { random, refills: () => refills };
}

describe("pooled randomness", () => {
  it("draws nothing until it is asked", () => {
    const { random, refills } = counted();
    expect(refills()).toBe(0);
    random.id();
    expect(refills()).toBe(1);
  });

  it("never gives the same bytes twice, over many blocks, whatever the sizes", () => {
    const { random, refills } = counted();
    const seen = new Set<number>();
    let given = 0;
    for (let i = 0; i < 2000; i += 1) {
      const words = i % 3 === 0 ? 4 : 6;
      const bytes =
        words === 4 ? Buffer.from(random.id(), "base64url") : Buffer.alloc(words * 4 + 2);
      if (words === 6) random.fill(bytes, 1, words * 4);
      const start = words === 6 ? 1 : 0;
      for (let word = 0; word < words; word += 1) {
        const value = bytes.readUInt32BE(start + word * 4);
        seen.add(value);
        given += 1;
      }
    }
    expect(seen.size).toBe(given);
    expect(refills()).toBeGreaterThan(5);
  });

  it("fills only what it was told to", () => {
    const { random } = counted();
    const target = Buffer.alloc(10, 0xee);
    random.fill(target, 3, 4);
    expect(target.toString("hex")).toBe("eeeeee" + "00010000" + "eeeeee");
  });

  it("refuses more than a block rather than repeat itself", () => {
    const { random } = counted();
    expect(() => random.fill(Buffer.alloc(5000), 0, 5000)).toThrow(
      new RangeError("At most 4096 random bytes at a time"),
    );
    const block = Buffer.alloc(4096);
    random.fill(block, 0, 4096);
    expect(block.readUInt32BE(4092)).toBe(65536 + 4092);
  });

  it("makes ids of 128 bits", () => {
    const ids = new Set(Array.from({ length: 1000 }, () => systemRandom.id()));
    expect(ids.size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});
