import { randomFillSync } from "node:crypto";

/** Source of random bytes and ids. Everything that must be unpredictable comes from one. */
export interface Random {
  /** Fills `size` bytes of `target` from `start` on with bytes that are given out only once. */
  fill(target: Uint8Array, start: number, size: number): void;
  /** A new 128-bit id, base64url. */
  id(): string;
}

/** Bytes in a random id: 128 bits, past guessing and past collision. */
export const ID_BYTES = 16;

/** One call into the system's generator serves about 170 nonces. */
const POOL_BYTES = 4096;

/**
 * Random bytes drawn from the system in blocks, since one call for each nonce costs more than
 * the encryption. Bytes are copied out and never used again. The first block is drawn on first
 * use, so that a start-up snapshot holds none.
 */
export function pooledRandom(refill: (pool: Buffer) => void = randomFillSync): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let next = POOL_BYTES;

  function take(size: number): number {
    if (size > POOL_BYTES) throw new RangeError(`At most ${POOL_BYTES} random bytes at a time`);
    if (next + size > POOL_BYTES) {
      refill(pool);
      next = 0;
    }
    const start = next;
    next += size;
    return start;
  }

  return {
    fill(target, start, size) {
      const from = take(size);
      target.set(pool.subarray(from, from + size), start);
      pool.fill(0, from, from + size);
    },
    id() {
      const from = take(ID_BYTES);
      const id = pool.toString("base64url", from, from + ID_BYTES);
      pool.fill(0, from, from + ID_BYTES);
      return id;
    },
  };
}

/** The process's own source. */
export const systemRandom: Random = pooledRandom();
