import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tuple } from "../../src/state/tuple.js";

describe("the bytes of a tuple", () => {
  it("are each part after its length", () => {
    expect(tuple(["é", Buffer.from([1, 2, 3]), ""]).toString("hex")).toBe(
      "00000002c3a9" + "00000003010203" + "00000000",
    );
  });

  it("are the same only for the same parts", () => {
    const parts = fc.array(
      fc.string({ unit: fc.constantFrom("a", "\u0000", "\u0001"), maxLength: 4 }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        expect(tuple(one).equals(tuple(other))).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 2000 },
    );
  });
});
