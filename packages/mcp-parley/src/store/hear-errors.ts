import { isObject } from "../protocol/json.js";

interface Emitter {
  on(event: string, listener: (about: unknown) => void): unknown;
}

const heard = new WeakSet();

/**
 * A client or pool whose connection breaks emits `error`, and an error that nobody listens to ends
 * the process. Stores tell of failures by their operations, so that somebody always listens.
 *
 * Connections of a pool are heard from the moment it gives them out, not from when whoever waits
 * gets them: the very bytes that make one ready may hold its end, too.
 */
export function hearErrors(emitter: unknown): void {
  if (!emits(emitter) || heard.has(emitter)) return;
  heard.add(emitter);
  emitter.on("error", () => undefined);
  emitter.on("acquire", hearErrors);
}

function emits(value: unknown): value is Emitter {
  return isObject(value) && typeof value["on"] === "function";
}
