import { ParleyError, isParleyError } from "../protocol/errors.js";

/** Whether something is still waited for, as the one who works on it sees it. */
export interface Cancellation {
  readonly isCancelled: boolean;
  /** Throws the reason, once there is one. */
  stopIfCancelled(): void;
  /** Calls `stop` with the reason once it is cancelled, unless the function this gives is called before. */
  onCancel(stop: (reason: unknown) => void): () => void;
  /** The same as the platform has it. */
  readonly signal: AbortSignal;
}

/** Who waits for a cancellation. Whoever has left holds on to nobody, and lives no longer for it. */
interface Waiting {
  readonly stop: (reason: unknown) => void;
  before: Waiting | undefined;
  after: Waiting | undefined;
}

/**
 * What an AbortController is for, at a fraction of its cost: each request and each round has one, and
 * hardly any is ever looked at. The signal is made for who asks for it.
 */
export class Canceller implements Cancellation {
  #reason: { readonly is: unknown } | undefined;
  #controller: AbortController | undefined;
  #first: Waiting | undefined;
  #last: Waiting | undefined;

  get isCancelled(): boolean {
    return this.#reason !== undefined;
  }

  stopIfCancelled(): void {
    if (this.#reason !== undefined) throw this.#reason.is;
  }

  onCancel(stop: (reason: unknown) => void): () => void {
    if (this.#reason !== undefined) {
      stop(this.#reason.is);
      return () => undefined;
    }
    const waiting: Waiting = { stop, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = waiting;
    else this.#last.after = waiting;
    this.#last = waiting;
    return () => this.#leave(waiting);
  }

  #leave(waiting: Waiting): void {
    const { before, after } = waiting;
    if (before !== undefined) before.after = after;
    else if (this.#first === waiting) this.#first = after;
    if (after !== undefined) after.before = before;
    else if (this.#last === waiting) this.#last = before;
    waiting.before = undefined;
    waiting.after = undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.onCancel((reason) => controller.abort(reason));
    }
    return this.#controller.signal;
  }

  /** The first reason counts. */
  cancel(reason: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = { is: reason };
    for (let next = this.#first; next !== undefined; next = this.#first) {
      this.#leave(next);
      next.stop(reason);
    }
  }
}

/**
 * Cancels as soon as the host's signal aborts, or the client closes. The function it gives ends
 * that, and has to be called: signals and clients outlive calls.
 */
export function follow(
  canceller: Canceller,
  signal: AbortSignal | undefined,
  closing: Cancellation,
): () => void {
  const leave = closing.onCancel((reason) => canceller.cancel(reason));
  if (signal === undefined) return leave;
  const stop = (): void => canceller.cancel(aborted(signal));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return () => {
    leave();
    signal.removeEventListener("abort", stop);
  };
}

/** What a call that was aborted rejects with; the reason the host gave is its cause. */
function aborted(signal: AbortSignal): ParleyError<"aborted"> {
  const reason: unknown = signal.reason;
  if (isParleyError(reason, "aborted")) return reason;
  return new ParleyError("aborted", "The call was aborted.", { cause: reason });
}

/** What a call under way rejects with when its client closes. */
export function clientClosed(): ParleyError<"aborted"> {
  return new ParleyError("aborted", "The client was closed.");
}
