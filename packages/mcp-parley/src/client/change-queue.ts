import type { ServerChange } from "./subscription-events.js";

/** The most changes that wait for their reader: a host that far behind reads everything anew. */
const MOST = 1_000;

/**
 * Changes that wait until somebody reads them. Two of the same are one: whoever reads the first sees
 * what the second would have told. With more than a thousand waiting, further ones are dropped, and
 * it is said that some were.
 */
export class ChangeQueue {
  readonly #waiting = new Map<string, ServerChange>();
  #missed = false;

  add(change: ServerChange): void {
    const name = change.kind === "resource" ? `resource ${change.uri}` : change.kind;
    if (this.#waiting.size < MOST || this.#waiting.has(name)) this.#waiting.set(name, change);
    else this.#missed = true;
  }

  /** The change that has waited longest, or word that some were dropped; undefined for none. */
  next(): ServerChange | { readonly kind: "missed" } | undefined {
    for (const [name, change] of this.#waiting) {
      this.#waiting.delete(name);
      return change;
    }
    if (!this.#missed) return undefined;
    this.#missed = false;
    return { kind: "missed" };
  }
}
