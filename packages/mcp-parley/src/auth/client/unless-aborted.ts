import type { Awaitable } from "../../protocol/json.js";

/** Leaves whoever does not come back: rejects with the signal's reason once that aborts. */
export async function unlessAborted<T>(work: Awaitable<T>, signal: AbortSignal): Promise<T> {
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
