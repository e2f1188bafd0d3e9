import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  abandonedMark,
  inFlightMark,
  markable,
  readMark,
  settledMark,
} from "../../src/ledger/mark.js";
import { EPOCH_NAME, rowName } from "../../src/ledger/names.js";

describe("a mark", () => {
  test("is read as it was written", () => {
    const lease = fc.integer({ min: 1, max: 1e15 - 1 });
    fc.assert(
      fc.property(fc.boolean(), lease, fc.string(), (effect, ms, fingerprint) => {
        expect(readMark(inFlightMark(effect, ms, fingerprint))).toEqual({
          kind: "in_flight",
          effect,
          lease: ms,
          fingerprint,
        });
        expect(readMark(abandonedMark(fingerprint))).toEqual({ kind: "abandoned", fingerprint });
        expect(readMark(settledMark(fingerprint))).toEqual({ kind: "settled", fingerprint });
      }),
    );
  });

  test("stays small whatever the fingerprint", () => {
    expect(markable("f".repeat(64))).toBe("f".repeat(64));
    expect(markable("f".repeat(65))).toHaveLength(43);
    expect(markable("f".repeat(65))).not.toBe(markable("f".repeat(66)));
  });
});

describe("a row's name", () => {
  test("is a hash, of that id alone", () => {
    expect(rowName("a")).toMatch(/^[\w-]{43}$/);
    expect(rowName("a")).not.toBe(rowName("b"));
    expect(rowName("")).not.toBe(EPOCH_NAME);
  });

  test("does not change from one version to the next", () => {
    expect(rowName("flow-1")).toBe("-ndtVpZMywFKPr_0k8li16Mf64D6UcpXpN6gqgB-iEU");
    expect(EPOCH_NAME).toBe("rkRS1mFjoRxH_q_QrxRA-36yq2nFGnFj6YfUCRP0L7g");
  });
});
