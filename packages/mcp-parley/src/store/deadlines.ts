/** Something that is due at a time; the fields belong to {@link Deadlines}. */
export interface Due {
  /** The bucket it is filed in, and its place there; -1 while it is in none. */
  bucket: number;
  slot: number;
}

/** Width of a bucket in ms: how late something due may be handed out. */
const BUCKET_MS = 1000;

/**
 * Things in the order in which they are due, to within a second, without a timer. Filing,
 * removing and taking cost the same however many there are.
 */
export class Deadlines<T extends Due> {
  readonly #buckets = new Map<number, T[]>();
  /** The buckets in use, in order. New ones nearly always come last. */
  readonly #order: number[] = [];

  /** Files `item` at `at`, in ms since 1970. It must not be filed already. */
  add(item: T, at: number): void {
    const key = Math.ceil(at / BUCKET_MS);
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = [];
      this.#buckets.set(key, bucket);
      this.#open(key);
    }
    item.bucket = key;
    item.slot = bucket.length;
    bucket.push(item);
  }

  /** Takes `item` out again, if it is filed. */
  remove(item: T): void {
    const bucket = this.#buckets.get(item.bucket);
    if (bucket === undefined || bucket[item.slot] !== item) return;
    const last = bucket.pop();
    if (last !== undefined && last !== item) {
      bucket[item.slot] = last;
      last.slot = item.slot;
    }
    if (bucket.length === 0) this.#shut(this.#place(item.bucket));
    item.bucket = -1;
    item.slot = -1;
  }

  /** Takes out one thing that is due at `now`; undefined when nothing is. */
  take(now: number): T | undefined {
    const key = this.#order[0];
    if (key === undefined || key * BUCKET_MS > now) return undefined;
    const bucket = this.#buckets.get(key);
    const item = bucket?.pop();
    if (item !== undefined) {
      item.bucket = -1;
      item.slot = -1;
    }
    if (bucket === undefined || bucket.length === 0) this.#shut(0);
    return item;
  }

  #open(key: number): void {
    const last = this.#order.at(-1);
    if (last === undefined || last < key) this.#order.push(key);
    else this.#order.splice(this.#place(key), 0, key);
  }

  #shut(place: number): void {
    const [key] = this.#order.splice(place, 1);
    if (key !== undefined) this.#buckets.delete(key);
  }

  /** Where `key` stands in the order, or would stand. */
  #place(key: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#order[middle];
      if (found !== undefined && found < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
