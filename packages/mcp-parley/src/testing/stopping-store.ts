import { chain } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import { readMark } from "../ledger/mark.js";
import type { Inserted, Row, Store } from "../store/store.js";
import type { StoppingPoint } from "./conditions.js";

const NEVER = new Promise<never>(() => undefined);

/** Decides, once for a whole rehearsal, which instance stops where. */
export class Stopper {
  #point: StoppingPoint | undefined;

  constructor(point: StoppingPoint | undefined) {
    this.#point = point;
  }

  /** True the first time a worker comes to the point. */
  stopsAt(point: StoppingPoint): boolean {
    if (this.#point !== point) return false;
    this.#point = undefined;
    return true;
  }
}

/**
 * The shared store as one instance sees it, until that instance stops: from then on none of its
 * operations is carried out and none comes back, as after a crash.
 */
export class StoppingStore implements Store {
  readonly name = "rehearsal";
  readonly survives = "fleet";
  readonly #shared: Store;
  readonly #stopper: Stopper;
  readonly #effects = new Set<string>();
  #stopped = false;
  #onStop: () => void = () => undefined;
  /** Resolves if and when the instance stops. */
  readonly stopping: Promise<void> = new Promise((resolve) => {
    this.#onStop = resolve;
  });

  constructor(shared: Store, stopper: Stopper) {
    this.#shared = shared;
    this.#stopper = stopper;
  }

  insertOrGet(name: string, row: Row, holder?: string): Awaitable<Inserted> {
    if (this.#stopped) return NEVER;
    return chain(this.#shared.insertOrGet(name, row, holder), (inserted): Awaitable<Inserted> => {
      const mark = readMark(row.mark);
      if (inserted.kind !== "inserted" || mark?.kind !== "in_flight") return inserted;
      if (mark.effect) this.#effects.add(name);
      return this.#stopHere(mark.effect ? "before effect" : "after claim") ? NEVER : inserted;
    });
  }

  replaceIfOwner(name: string, owner: string, row: Row): Awaitable<boolean> {
    if (this.#stopped) return NEVER;
    if (readMark(row.mark)?.kind !== "settled") {
      return this.#shared.replaceIfOwner(name, owner, row);
    }
    const isEffect = this.#effects.has(name);
    if (this.#stopHere(isEffect ? "inside effect" : "before settle")) return NEVER;
    return chain(this.#shared.replaceIfOwner(name, owner, row), (replaced): Awaitable<boolean> => {
      return this.#stopHere(isEffect ? "after effect" : "after settle") ? NEVER : replaced;
    });
  }

  deleteIfOwner(name: string, owner: string): Awaitable<boolean> {
    return this.#stopped ? NEVER : this.#shared.deleteIfOwner(name, owner);
  }

  #stopHere(point: StoppingPoint): boolean {
    if (this.#stopped || !this.#stopper.stopsAt(point)) return this.#stopped;
    this.#stopped = true;
    this.#onStop();
    return true;
  }
}
