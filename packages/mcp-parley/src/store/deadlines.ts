/** Something that is due at a time; the fields belong to {@link Deadlines}. */
export interface Due {
  /** The bucket it was filed in last, and its place there; before that, any. */
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
  /** The buckets in use, in order. */
  readonly #order: number[] = [];

  /** Files `item` at `at`, in ms since 1970. It must not be filed already. */
  add(item: T, at: number): void {
    const key = Math.ceil(at / BUCKET_MS);
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = [];
      this.#buckets.set(key, bucket);
      this.#order.splice(this.#place(key), 0, key);
    }
    item.bucket = key;
    item.slot = bucket.length;
    bucket.push(item);
  }

  /** Takes `item` out again, if it is filed. */
  remove(item: T): void {
    const { bucket: key, slot } = item;
    const bucket = this.#buckets.get(key);
    if (bucket?.[slot] !== item) return;
    // The last one takes its place.
    const last = bucket.at(-1) ?? item;
    last.slot = slot;
    bucket[slot] = last;
    bucket.pop();
    if (bucket.length > 0) return;
    this.#buckets.delete(key);
    this.#order.splice(this.#place(key), 1);
  }

  /** Takes out one thing that is due at `now`; undefined when nothing is. */
  take(now: number): T | undefined {
    const key = this.#order[0] ?? Infinity;
    if (key * BUCKET_MS > now) return undefined;
    const item = this.#buckets.get(key)?.at(-1);
    if (item !== undefined) this.remove(item);
    return item;
  }

  /** Where `key` stands in the order, or would stand. */
  #place(key: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle] ?? Infinity) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
