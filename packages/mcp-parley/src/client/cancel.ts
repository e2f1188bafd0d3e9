import { ParleyError, isParleyError } from "../protocol/errors.js";

/** What a call that was aborted rejects with; the reason the host gave is its cause. */
export function aborted(signal: AbortSignal): ParleyError<"aborted"> {
  const reason: unknown = signal.reason;
  if (isParleyError(reason, "aborted")) return reason;
  return new ParleyError("aborted", "The call was aborted.", { cause: reason });
}

/**
 * What has to end when a client closes. A signal would do, but for the warnings platforms print when
 * many listen to one, as many calls at once would.
 */
export class Closing {
  readonly #open = new Set<AbortController>();
  #error: ParleyError<"aborted"> | undefined;

  /** Aborts the controller once the client closes, unless the function this gives is called before. */
  aborts(controller: AbortController): () => void {
    if (this.#error !== undefined) controller.abort(this.#error);
    else this.#open.add(controller);
    return () => this.#open.delete(controller);
  }

  close(): void {
    this.#error ??= new ParleyError("aborted", "The client was closed.");
    for (const controller of this.#open) controller.abort(this.#error);
    this.#open.clear();
  }
}

/**
 * Aborts `controller` as soon as the host's signal does, or the client closes. The function it
 * gives ends that, and has to be called: signals and clients outlive calls.
 */
export function follow(
  controller: AbortController,
  signal: AbortSignal | undefined,
  closing: Closing,
): () => void {
  const leave = closing.aborts(controller);
  if (signal === undefined) return leave;
  const stop = (): void => controller.abort(aborted(signal));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return () => {
    leave();
    signal.removeEventListener("abort", stop);
  };
}
