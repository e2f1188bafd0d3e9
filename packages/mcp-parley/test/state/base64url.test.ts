import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64url } from "../../src/state/base64url.js";

describe("strict base64url", () => {
  it("gives back what an encoder wrote", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString("base64url");
        expect(decodeBase64url(text)?.equals(bytes)).toBe(true);
      }),
    );
  });

  it("has one text for each value: any accepted text is the encoder's own", () => {
    const near = fc.string({
      unit: fc.constantFrom(...Array.from("ABab01-_+/= \n.é")),
      maxLength: 12,
    });
    fc.assert(
      fc.property(near, (text) => {
        const bytes = decodeBase64url(text);
        if (bytes !== undefined) expect(bytes.toString("base64url")).toBe(text);
        else
          expect(
            /^[A-Za-z0-9_-]*$/.test(text) &&
              Buffer.from(text, "base64url").toString("base64url") === text,
          ).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["padding", "_-8="],
    ["padding of a whole group", "AAA="],
    ["the other alphabet", "+/8A"],
    ["a space at the end", "AAAA "],
    ["a line break inside", "AA\nAA"],
    ["stray bits in the last character", "_-9"],
    ["stray bits in the last of two characters", "AB"],
    ["a single character over", "AAAAA"],
    ["another script's letters", "AAAАAAAA"],
  ])("refuses %s", (_, text) => {
    expect(decodeBase64url(text)).toBeUndefined();
  });

  it("takes the empty text for no bytes", () => {
    expect(decodeBase64url("")?.length).toBe(0);
  });
});
