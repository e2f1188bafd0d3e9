import { ParleyError } from "../protocol/errors.js";
import { Deadlines, type Due } from "./deadlines.js";
import type { Inserted, Row, Store, Stored } from "./store.js";

/** Bounds of a {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** The most rows, live ones. Default 2,000,000. */
  readonly maxRows?: number;
  /** The most memory, in bytes, by a close estimate. Default 768 MiB. */
  readonly maxBytes?: number;
  /**
   * How much one holder may take: at most `share` times the room that is still free. Default 1: a
   * holder alone gets half of the store, one of two a third, so that some is always left for others.
   */
  readonly share?: number;
}

/** A {@link Store} that answers at once. */
export interface MemoryStore extends Store {
  readonly survives: "process";
  /** Rows kept at the moment, some of which may have expired. */
  readonly rows: number;
  /** Memory they take, in bytes, by estimate. */
  readonly bytes: number;
  insertOrGet(name: string, row: Row, holder?: string): Inserted;
  replaceIfOwner(name: string, owner: string, row: Row): boolean;
  deleteIfOwner(name: string, owner: string): boolean;
}

const DEFAULT_MAX_ROWS = 2_000_000;
const DEFAULT_MAX_BYTES = 768 * 1024 * 1024;

/** What a row costs before its texts; measured, see test/store/memory-size.test.ts. */
const ROW_BYTES = 220;

/** New rows may fill this part; the rest is for the outcomes of what has already begun. */
const NEW_ROWS_PART = 7 / 8;

/** Expired things cleared by each call. Each call files two at most, so four keep ahead. */
const CLEARED_PER_CALL = 4;

/**
 * Rows in this process's memory: they guard one process and end with it.
 *
 * 1. Nothing waits: every operation is carried out when it returns.
 * 2. Only what has expired is removed. Where there is no room an insert fails with `store_full`:
 *    first for the holder that has more than its share, then for everyone. A replacement may use
 *    the last eighth of the bytes.
 * 3. A call clears a bounded number of expired rows; no timer runs.
 */
export function memoryStore(
  options: MemoryStoreOptions = {},
  now: () => number = Date.now,
): MemoryStore {
  return new Memory(
    positive("maxRows", options.maxRows ?? DEFAULT_MAX_ROWS),
    positive("maxBytes", options.maxBytes ?? DEFAULT_MAX_BYTES),
    positive("share", options.share ?? 1),
    now,
  );
}

interface Kept extends Due {
  readonly name: string;
  readonly holder: Holder | undefined;
  owner: string;
  mark: string;
  body: string;
  bodyUntil: number;
  notAfter: number;
  written: number;
}

interface Holder {
  readonly name: string;
  rows: number;
  bytes: number;
}

class Memory implements MemoryStore {
  readonly name = "memory";
  readonly survives = "process";
  bytes = 0;
  readonly #rows = new Map<string, Kept>();
  readonly #holders = new Map<string, Holder>();
  readonly #deadlines = new Deadlines<Kept>();
  readonly #maxRows: number;
  readonly #maxBytes: number;
  readonly #share: number;
  readonly #now: () => number;

  constructor(maxRows: number, maxBytes: number, share: number, now: () => number) {
    this.#maxRows = maxRows;
    this.#maxBytes = maxBytes;
    this.#share = share;
    this.#now = now;
  }

  get rows(): number {
    return this.#rows.size;
  }

  insertOrGet(name: string, row: Row, holder?: string): Inserted {
    const now = this.#now();
    this.#clear(now, CLEARED_PER_CALL);
    const standing = this.#live(name, now);
    if (standing !== undefined) return { kind: "present", row: seen(standing, now) };
    if (!(row.notAfter > now)) return { kind: "past" };

    const size = sizeOf(name, row);
    if (this.#refusal(size, holder) !== undefined) {
      this.#clear(now, Infinity);
      const refusal = this.#refusal(size, holder);
      if (refusal !== undefined) throw new ParleyError("store_full", refusal);
    }
    const kept: Kept = {
      name,
      holder: this.#holderOf(holder),
      owner: row.owner,
      mark: row.mark,
      body: row.body,
      bodyUntil: now + row.bodyFor,
      notAfter: row.notAfter,
      written: now,
      bucket: 0,
      slot: 0,
    };
    this.#rows.set(name, kept);
    this.#count(kept, 1, size);
    this.#file(kept);
    return { kind: "inserted" };
  }

  replaceIfOwner(name: string, owner: string, row: Row): boolean {
    const now = this.#now();
    this.#clear(now, CLEARED_PER_CALL);
    const kept = this.#live(name, now);
    if (kept?.owner !== owner) return false;
    const growth = sizeOf(name, row) - sizeOf(name, kept);
    if (this.bytes + growth > this.#maxBytes) {
      this.#clear(now, Infinity);
      if (this.bytes + growth > this.#maxBytes) {
        throw new ParleyError("store_full", this.#full("maxBytes", this.#maxBytes));
      }
    }
    this.#count(kept, 0, growth);
    kept.owner = row.owner;
    kept.mark = row.mark;
    kept.body = row.body;
    kept.bodyUntil = now + row.bodyFor;
    kept.notAfter = row.notAfter;
    kept.written = now;
    this.#deadlines.remove(kept);
    this.#file(kept);
    return true;
  }

  deleteIfOwner(name: string, owner: string): boolean {
    const now = this.#now();
    this.#clear(now, CLEARED_PER_CALL);
    const kept = this.#live(name, now);
    if (kept?.owner !== owner) return false;
    this.#remove(kept);
    return true;
  }

  #live(name: string, now: number): Kept | undefined {
    const kept = this.#rows.get(name);
    if (kept === undefined) return undefined;
    if (now >= kept.notAfter) {
      this.#remove(kept);
      return undefined;
    }
    if (kept.body !== "" && now >= kept.bodyUntil) this.#dropBody(kept);
    return kept;
  }

  /** Clears up to `most` of the things that are due. */
  #clear(now: number, most: number): void {
    for (let cleared = 0; cleared < most; cleared += 1) {
      const kept = this.#deadlines.take(now);
      if (kept === undefined) return;
      if (now >= kept.notAfter) this.#remove(kept);
      else {
        this.#dropBody(kept);
        this.#file(kept);
      }
    }
  }

  #file(kept: Kept): void {
    const bodyFirst = kept.body !== "" && kept.bodyUntil < kept.notAfter;
    this.#deadlines.add(kept, bodyFirst ? kept.bodyUntil : kept.notAfter);
  }

  #remove(kept: Kept): void {
    this.#rows.delete(kept.name);
    this.#deadlines.remove(kept);
    this.#count(kept, -1, -sizeOf(kept.name, kept));
  }

  #dropBody(kept: Kept): void {
    this.#count(kept, 0, -textSize(kept.body));
    kept.body = "";
  }

  #count(kept: Kept, rows: number, bytes: number): void {
    this.bytes += bytes;
    const holder = kept.holder;
    if (holder === undefined) return;
    holder.rows += rows;
    holder.bytes += bytes;
    if (holder.rows === 0) this.#holders.delete(holder.name);
  }

  #holderOf(name: string | undefined): Holder | undefined {
    if (name === undefined) return undefined;
    let holder = this.#holders.get(name);
    if (holder === undefined) {
      holder = { name, rows: 0, bytes: 0 };
      this.#holders.set(name, holder);
    }
    return holder;
  }

  /** Why a new row of `size` bytes can't be taken; undefined when it can. */
  #refusal(size: number, holderName: string | undefined): string | undefined {
    const freeRows = this.#maxRows - this.#rows.size;
    const freeBytes = this.#maxBytes * NEW_ROWS_PART - this.bytes;
    if (freeRows < 1) return this.#full("maxRows", this.#maxRows);
    if (freeBytes < size) return this.#full("maxBytes", this.#maxBytes);
    if (holderName === undefined) return undefined;
    const holder = this.#holders.get(holderName);
    const rows = (holder?.rows ?? 0) + 1;
    const bytes = (holder?.bytes ?? 0) + size;
    if (rows <= this.#share * freeRows && bytes <= this.#share * freeBytes) return undefined;
    return "One principal holds its share of the memory store: it can go on once its states expire, or raise `share`, `maxRows` or `maxBytes`";
  }

  #full(option: string, value: number): string {
    return `The memory store is full: raise \`${option}\` (now ${value}), shorten the life of states, or use a store outside the process`;
  }
}

function seen(kept: Kept, now: number): Stored {
  return {
    owner: kept.owner,
    mark: kept.mark,
    body: kept.body,
    age: Math.max(0, now - kept.written),
  };
}

function sizeOf(name: string, row: { owner: string; mark: string; body: string }): number {
  return ROW_BYTES + name.length + row.owner.length + row.mark.length + textSize(row.body);
}

/** Strings outside Latin-1 take two bytes a character, and only the engine knows which are. */
function textSize(text: string): number {
  return 2 * text.length;
}

function positive(option: string, value: number): number {
  if (typeof value !== "number") throw new TypeError(`memoryStore: \`${option}\` must be a number`);
  if (!(value > 0)) throw new RangeError(`memoryStore: \`${option}\` must be above 0`);
  return value;
}
