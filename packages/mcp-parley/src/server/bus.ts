/** Something a client may have asked to be told of. */
export type Change =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string }
  /** Changes may have gone by unheard: to each subscriber, all it asked for may have changed. */
  | { readonly kind: "missed" };

/**
 * Carries changes from whichever instance saw them to every instance that has subscribers. The
 * one in this process is the default; a fleet shares one of its own.
 */
export interface Bus {
  /** Tells everyone, this instance included. What fails is the bus's own to report. */
  publish(change: Change): void;
  /** Calls `listener` for each change until the function it gives is called. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** A bus within this process. */
export function localBus(): Bus {
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const listener of [...listeners]) listener(change);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
