import type { ParleyError } from "../protocol/errors.js";
import type { Asked } from "../state/claims.js";
import type { Asking, Putting } from "./question.js";
import { SUSPENDED } from "./suspension.js";

/** A question on its way to the client. */
export interface Pending {
  readonly question: Asking<unknown>;
  readonly putting: Putting;
}

/**
 * What a round is coming to. Once it is suspended it stays so: the round is `input_required`
 * whatever the handler then does.
 */
export class RoundEnd {
  readonly pending = new Map<string, Pending>();
  /** A failure that ends the flow whatever the handler makes of it. */
  fatal: ParleyError | undefined;
  #stateOnly = false;
  #rewound = false;
  #closed = false;
  #onSuspended: (() => void) | undefined;

  get suspended(): boolean {
    return this.pending.size > 0 || this.#stateOnly || this.#rewound;
  }

  /** True when the handler stepped back and has to be run again. */
  get rewound(): boolean {
    return this.#rewound;
  }

  /** True when no call counts any more. */
  get closed(): boolean {
    return this.#closed;
  }

  get asked(): Asked[] {
    return [...this.pending].map(([key, { question }]) => ({ key, digest: question.digest }));
  }

  /** Ends the round with a question. */
  put(key: string, pending: Pending): Promise<never> {
    this.pending.set(key, pending);
    return this.#suspend();
  }

  /** Ends the round without a question. */
  stateOnly(): Promise<never> {
    this.#stateOnly = true;
    return this.#suspend();
  }

  rewind(): void {
    this.#rewound = true;
    void this.#suspend();
  }

  /** The handler is about to run again. */
  restart(): void {
    this.#rewound = false;
  }

  close(): void {
    this.#closed = true;
  }

  fail(error: ParleyError): ParleyError {
    this.fatal ??= error;
    return error;
  }

  /** Calls back at the first suspension, at once if there was one. */
  onSuspended(callback: () => void): void {
    if (this.suspended) callback();
    else this.#onSuspended = callback;
  }

  #suspend(): Promise<never> {
    this.#onSuspended?.();
    this.#onSuspended = undefined;
    return SUSPENDED;
  }
}
