import type { Awaitable } from "../protocol/json.js";

/**
 * The keys of a ring as they stand, each 32 random bytes as base64url, base64 or hexadecimal.
 * The first is the primary, which seals; all of them open.
 */
export type KeyTexts = readonly string[];

/** What a source tells the ring that watches it. */
export interface KeyListener {
  /** The keys have changed. */
  changed(keys: KeyTexts): void;
  /** They could not be read: the ring goes on with what it has. */
  failed(error: unknown): void;
}

/** Where keys come from: a file, a secret manager, a test. */
export interface KeySource {
  /** A short name for messages and events. Holds nothing secret. */
  readonly name: string;
  /** The keys to begin with. A source that has to wait does so before it is handed over. */
  read(): KeyTexts;
  /** Begins to watch, and gives the function that ends it. A timer of its own is unref'd. */
  watch?(listener: KeyListener): () => void;
}

/** How often a polled source is read, in ms, unless said otherwise: 5 s. */
export const POLL_INTERVAL = 5_000;

/**
 * A source from any function that fetches keys, such as a call to a secret manager: fetched
 * once before it is handed over, which may throw, and then every `interval` ms (default 5000).
 */
export async function polledKeys(
  name: string,
  fetch: () => Awaitable<KeyTexts>,
  interval: number = POLL_INTERVAL,
): Promise<KeySource> {
  return pollingSource(name, await fetch(), fetch, interval);
}

/**
 * A source that begins with `keys` and fetches every `interval` ms. Only changes are told, and a
 * failure once for as long as it says the same.
 */
export function pollingSource(
  name: string,
  keys: KeyTexts,
  fetch: () => Awaitable<KeyTexts>,
  interval: number,
): KeySource {
  let latest = keys;
  return {
    name,
    read: () => latest,
    watch(listener) {
      let busy = false;
      let failure: string | undefined;

      async function poll(): Promise<void> {
        if (busy) return;
        busy = true;
        try {
          const fetched = await fetch();
          failure = undefined;
          if (fetched.join() !== latest.join()) {
            latest = fetched;
            listener.changed(fetched);
          }
        } catch (error) {
          if (String(error) !== failure) listener.failed(error);
          failure = String(error);
        } finally {
          busy = false;
        }
      }

      const timer = setInterval(() => void poll(), interval);
      timer.unref();
      return () => {
        clearInterval(timer);
      };
    },
  };
}
