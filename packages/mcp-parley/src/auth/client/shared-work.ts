/**
 * Work that is done once for all who want it at the same time.
 *
 * 1. Who comes while it is under way waits for the same outcome.
 * 2. Who aborts leaves; once all have left, the work is aborted.
 */
export class SharedWork {
  #running: Running | undefined;

  /** Joins the work under way, or begins it; rejects with the signal's reason once that aborts. */
  async join(signal: AbortSignal, begin: (signal: AbortSignal) => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    const running = (this.#running ??= this.#begin(begin));
    running.waiting += 1;
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason as Error);
      signal.addEventListener("abort", leave, { once: true });
    });
    try {
      await Promise.race([running.done, left]);
    } finally {
      signal.removeEventListener("abort", leave);
      running.waiting -= 1;
      if (running.waiting === 0) {
        running.controller.abort(signal.reason);
        if (this.#running === running) this.#running = undefined; // nobody new joins what is given up
      }
    }
  }

  #begin(begin: (signal: AbortSignal) => Promise<void>): Running {
    const controller = new AbortController();
    const done = begin(controller.signal).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    done.catch(() => undefined); // all may have left
    const running: Running = { controller, done, waiting: 0 };
    return running;
  }
}

interface Running {
  readonly controller: AbortController;
  readonly done: Promise<void>;
  waiting: number;
}
