import { isParleyError, ParleyError } from "../protocol/errors.js";
import { isPromiseLike, type Awaitable } from "../protocol/json.js";
import type { Store } from "../store/store.js";
import type { Clock } from "./clock.js";
import type { LedgerEvent, LedgerListener } from "./events.js";
import type { Protect } from "./protect.js";
import { Register } from "./register.js";

/** What the parts of one ledger share. */
export class Desk {
  readonly store: Store;
  readonly clock: Clock;
  readonly register: Register;
  /** True where the store ends with the process: nothing to hide, and no holder to be gone. */
  readonly local: boolean;
  /** How often the store has failed so far. */
  failures = 0;
  /** None where nothing leaves the process. */
  readonly #protect: Protect | undefined;
  readonly #onEvent: LedgerListener | undefined;

  constructor(
    store: Store,
    protect: Protect | undefined,
    onEvent: LedgerListener | undefined,
    clock: Clock,
  ) {
    this.store = store;
    this.clock = clock;
    this.register = Register.of(store);
    this.local = store.survives === "process";
    this.#protect = this.local ? undefined : protect;
    this.#onEvent = onEvent;
    if (!this.local && protect === undefined) {
      throw new ParleyError(
        "usage",
        `A ledger over the ${store.name} store needs \`protect\`: outcomes leave the process`,
      );
    }
  }

  tell(event: LedgerEvent): void {
    try {
      this.#onEvent?.(event);
    } catch {
      // A listener's failure is no reason to lose a claim.
    }
  }

  /** An outcome as the store holds it. */
  hide(outcome: string, row: string): string {
    return this.#protect === undefined ? outcome : this.#protect.protect(outcome, row);
  }

  /** The outcome in a row's body; undefined once it was dropped or can't be opened. */
  show(body: string, row: string): string | undefined {
    if (body === "") return undefined;
    return this.#protect === undefined ? body : this.#protect.reveal(body, row);
  }

  /** Carries out an operation of the store; whatever goes wrong is an error of ours. */
  ask<T>(operation: (store: Store) => Awaitable<T>): Awaitable<T> {
    let result: Awaitable<T>;
    try {
      result = operation(this.store);
    } catch (error) {
      throw this.#unavailable(error);
    }
    if (!isPromiseLike(result)) return result;
    return result.then(undefined, (error: unknown) => {
      throw this.#unavailable(error);
    });
  }

  /** The error for a row that no ledger wrote. */
  garbled(): ParleyError {
    return new ParleyError(
      "store_unavailable",
      `The ${this.store.name} store answered with a row that no ledger wrote`,
    );
  }

  #unavailable(error: unknown): ParleyError {
    this.failures += 1;
    if (isParleyError(error)) return error;
    return new ParleyError("store_unavailable", `The ${this.store.name} store failed`, {
      cause: error,
    });
  }
}
