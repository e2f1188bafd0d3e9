import { sha256 } from "../state/digest.js";

/** Where a claim stands, as its row's mark says. */
export type Mark =
  /**
   * Somebody is at it, or was: silent for longer than `lease` ms, it counts as gone. With `effect`
   * an effect may have begun.
   */
  | { kind: "in_flight"; effect: boolean; lease: number; fingerprint: string }
  /** Its holder gave up without knowing the outcome. */
  | { kind: "abandoned"; fingerprint: string }
  /** Its outcome stands. */
  | { kind: "settled"; fingerprint: string };

/** Longer fingerprints are hashed, so that marks stay small. */
const MAX_FINGERPRINT = 64;

/** A mark is one letter, the lease where there is one, and the fingerprint. */
const ROUND = "r";
const EFFECT = "e";
const ABANDONED = "a";
const SETTLED = "s";

/** The fingerprint as marks hold it. */
export function markable(fingerprint: string): string {
  return fingerprint.length <= MAX_FINGERPRINT ? fingerprint : sha256(fingerprint);
}

export function inFlightMark(effect: boolean, lease: number, fingerprint: string): string {
  return `${effect ? EFFECT : ROUND}${lease};${fingerprint}`;
}

export function abandonedMark(fingerprint: string): string {
  return ABANDONED + fingerprint;
}

export function settledMark(fingerprint: string): string {
  return SETTLED + fingerprint;
}

/** True when only the same fingerprint may have what the mark says, or go on from it. */
export function isTied(mark: Mark): boolean {
  return mark.kind !== "in_flight" || mark.effect;
}

/** Reads a mark; undefined if no ledger wrote it. */
export function readMark(mark: string): Mark | undefined {
  const rest = mark.slice(1);
  switch (mark.charAt(0)) {
    case SETTLED:
      return { kind: "settled", fingerprint: rest };
    case ABANDONED:
      return { kind: "abandoned", fingerprint: rest };
    case ROUND:
    case EFFECT: {
      const end = rest.indexOf(";");
      const digits = rest.slice(0, Math.max(0, end));
      if (!/^\d{1,15}$/.test(digits)) return undefined;
      return {
        kind: "in_flight",
        effect: mark.startsWith(EFFECT),
        lease: Number(digits),
        fingerprint: rest.slice(end + 1),
      };
    }
    default:
      return undefined;
  }
}
