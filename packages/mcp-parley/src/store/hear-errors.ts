import { isObject } from "../protocol/json.js";

const heard = new WeakSet();

/**
 * A client or pool whose connection breaks emits `error`, and an error that nobody listens to ends
 * the process. Stores tell of failures by their operations, so that somebody always listens.
 */
export function hearErrors(emitter: unknown): void {
  if (!isObject(emitter) || typeof emitter["on"] !== "function" || heard.has(emitter)) return;
  heard.add(emitter);
  (emitter as { on(event: string, listener: () => void): unknown }).on("error", () => undefined);
}
