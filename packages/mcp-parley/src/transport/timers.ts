/** Timers that keep no process alive; tests bring their own. */
export interface Timers {
  /** Calls `tick` every `ms` until the function it gives is called. */
  every(ms: number, tick: () => void): () => void;
  /** Calls `ring` once, after `ms`, unless the function it gives is called before. */
  after(ms: number, ring: () => void): () => void;
}

export const systemTimers: Timers = {
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    release(timer);
    return () => clearInterval(timer);
  },
  after(ms, ring) {
    const timer = setTimeout(ring, ms);
    release(timer);
    return () => clearTimeout(timer);
  },
};

/** Not every runtime has timers that can be let go of. */
function release(timer: { unref?: () => unknown }): void {
  timer.unref?.();
}
