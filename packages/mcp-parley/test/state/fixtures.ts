import type { Claims } from "../../src/state/claims.js";
import type { Principal } from "../../src/state/principal.js";
import type { Random } from "../../src/state/random.js";
import type { Expected } from "../../src/state/states.js";
import type { Store } from "../../src/store/store.js";

/** A key that is the same in every run: `seed` tells keys apart. */
export function testKey(seed: number): string {
  return Buffer.from(Array.from({ length: 32 }, (_, i) => (i * 7 + seed * 31) & 0xff)).toString(
    "base64url",
  );
}

/** Bytes 0, 1, 2 … instead of random ones, never the same run of them twice in a test. */
export function countingRandom(): Random {
  let next = 0;
  const bytes = (size: number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => next++ & 0xff));
  return {
    fill: (target, start, size) => target.set(bytes(size), start),
    id: () => bytes(16).toString("base64url"),
  };
}

/** A clock that is moved by hand. */
export function testClock(time = 1_800_000_000_000): { now: () => number; pass(ms: number): void } {
  return {
    now: () => time,
    pass(ms) {
      time += ms;
    },
  };
}

export const ALICE: Principal = { issuer: "https://id.example", subject: "alice", client: "c1" };
export const BOB: Principal = { issuer: "https://id.example", subject: "bob", client: "c1" };

export const REQUEST = "bSHqDI6yWgq9uZo4lzdVYgrdAq1cIJ0cdAECH4GVvnU";

export function testClaims(now: number, change: Partial<Claims> = {}): Claims {
  return {
    request: REQUEST,
    issuedAt: now,
    expiresAt: now + 600_000,
    deadline: now + 3_600_000,
    flow: "AAECAwQFBgcICQoLDA0ODw",
    use: "EBESExQVFhcYGRobHB0eHw",
    round: 1,
    epoch: null,
    asked: [{ key: "sure", digest: "digest" }],
    journal: { sure: { action: "accept" } },
    ...change,
  };
}

/** What a request says of itself. */
export function asking(principal?: Principal, request = REQUEST): Expected {
  return { principal, request: () => request };
}

/** The same store, for which one has to wait. */
export function later(store: Store): Store {
  return {
    name: store.name,
    survives: store.survives,
    insertOrGet: async (...given) => store.insertOrGet(...given),
    replaceIfOwner: async (...given) => store.replaceIfOwner(...given),
    deleteIfOwner: async (...given) => store.deleteIfOwner(...given),
  };
}
