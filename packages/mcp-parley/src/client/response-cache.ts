/** How much a {@link ResponseCache} may hold. */
export interface ResponseCacheLimits {
  /** Results, over all servers; default 1,000. */
  readonly entries?: number | undefined;
  /** Memory they may take, in bytes, as far as it can be told; default 4 MiB. */
  readonly bytes?: number | undefined;
}

const ENTRIES = 1_000;
const BYTES = 4 * 1024 * 1024;

/** A text takes at most two bytes a character in memory. */
const BYTES_PER_CHARACTER = 2;

/** Where a result is kept: what is in one place is never looked for in another. */
export type Place = string;

/** What a result answers. Two requests that differ in any of it have different results. */
export interface CacheKey {
  readonly method: string;
  /** Everything else of the request that its result may depend on, as text. */
  readonly rest: string;
}

interface Entry {
  readonly place: Place;
  readonly key: CacheKey;
  /** The result as JSON: whoever gets it gets a copy of his own. */
  readonly text: string;
  /** The clock's time from which on it is stale. */
  readonly stale: number;
}

/**
 * Results that servers have allowed to be kept for a while, in memory. A client has one of its own
 * unless it is given one, which several clients may share: they then share what a server said to
 * everybody (`cacheScope: "public"`) and never what it said to one of them.
 *
 * 1. A result is given back for the same request, in the same place, until it is stale.
 * 2. No more is held than the limits say: what was not used for longest goes first, and what is
 *    larger than the limit on bytes is not kept.
 *
 * Specification: server/utilities/caching.
 */
export class ResponseCache {
  readonly #most: { readonly entries: number; readonly bytes: number };
  /** From the one not used for longest to the one used last. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #drops = 0;
  #places = 0;

  /** `RangeError` for a limit that is no positive number. */
  constructor(limits: ResponseCacheLimits = {}) {
    const { entries = ENTRIES, bytes = BYTES } = limits;
    for (const [name, value] of Object.entries({ entries, bytes })) {
      if (!(value > 0)) throw new RangeError(`${name} must be a positive number`);
    }
    this.#most = { entries, bytes };
  }

  /** How many results are held, stale ones that nobody has asked for since among them. */
  get entries(): number {
    return this.#entries.size;
  }

  /** How much memory they take, in bytes, at most. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Forgets everything. */
  clear(): void {
    this.drop(() => true);
  }

  /**
   * Rises whenever something was dropped for being out of date. An answer that was on its way then
   * may be as old as what was dropped: it is not to be kept.
   *
   * @internal
   */
  get drops(): number {
    return this.#drops;
  }

  /**
   * A place nothing has been kept in yet, and which nobody else will be given.
   *
   * @internal
   */
  newPlace(): Place {
    this.#places += 1;
    return `own ${this.#places}`;
  }

  /**
   * The result of that request, as JSON, from the first of the places that has it fresh.
   *
   * @internal
   */
  find(places: readonly Place[], key: CacheKey, now: number): string | undefined {
    for (const place of places) {
      const name = nameOf(place, key);
      const entry = this.#entries.get(name);
      if (entry === undefined) continue;
      this.#remove(name, entry);
      if (now >= entry.stale) continue;
      this.#add(name, entry); // as the one used last
      return entry.text;
    }
    return undefined;
  }

  /**
   * Keeps a result until the clock says `stale`.
   *
   * @internal
   */
  keep(place: Place, key: CacheKey, text: string, stale: number): void {
    const name = nameOf(place, key);
    const entry: Entry = { place, key, text, stale };
    this.#removeNamed(name);
    if (sizeOf(name, entry) > this.#most.bytes) return;
    this.#add(name, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most.entries && this.#bytes <= this.#most.bytes) return;
      this.#removeNamed(oldest);
    }
  }

  /**
   * Forgets what is out of date.
   *
   * @internal
   */
  drop(isOutdated: (place: Place, key: CacheKey) => boolean): void {
    this.#drops += 1;
    for (const [name, entry] of [...this.#entries]) {
      if (isOutdated(entry.place, entry.key)) this.#remove(name, entry);
    }
  }

  #add(name: string, entry: Entry): void {
    this.#entries.set(name, entry);
    this.#bytes += sizeOf(name, entry);
  }

  #removeNamed(name: string): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#remove(name, entry);
  }

  #remove(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.#bytes -= sizeOf(name, entry);
  }
}

function nameOf(place: Place, { method, rest }: CacheKey): string {
  return JSON.stringify([place, method, rest]);
}

function sizeOf(name: string, { place, key, text }: Entry): number {
  const { method, rest } = key;
  const characters = name.length + place.length + method.length + rest.length + text.length;
  return characters * BYTES_PER_CHARACTER;
}
