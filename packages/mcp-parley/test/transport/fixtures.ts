import type { Awaitable } from "../../src/protocol/json.js";
import { errorText, readMessage, resultText } from "../../src/protocol/jsonrpc.js";
import type { Dispatcher, Reply, RequestContext } from "../../src/server/context.js";
import type { Timers } from "../../src/transport/timers.js";

export const VERSION = "2026-07-28";

/** The envelope every request carries. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request as an object, with its envelope. */
export function request(id: unknown, method: string, params: Record<string, unknown> = {}) {
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: META } };
}

/** A tool call, the request most tests send. */
export const CALL = request(1, "tools/call", { name: "echo", arguments: {} });

/** A notification of the client's. */
export const NOTE = { jsonrpc: "2.0", method: "notifications/x" };

/** A notification of the server's, as text. */
export const NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}';

export type Handler = (
  id: string | number,
  context: RequestContext,
  message: { method: string; params: Record<string, unknown> },
) => Awaitable<Reply>;

/**
 * The least server there is: refuses what is no request, says nothing to a notification, and
 * answers the rest with `handler`.
 */
export function serverOf(handler: Handler = ok): Dispatcher {
  return {
    dispatch(value, context) {
      const message = readMessage(value);
      if (message.kind === "notification") return undefined;
      if (message.kind === "request") return handler(message.id, context, message);
      return { text: errorText(message.id, -32600, "Invalid request"), status: 400 };
    },
  };
}

/** The usual reply. */
export function ok(id: string | number): Reply {
  return { text: resultText(id, '{"resultType":"complete"}'), status: 200 };
}

/** A promise and what settles it. */
export function deferred<T = void>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Timers that ring when told to. */
export class HandTimers implements Timers {
  #waiting = new Set<{ ms: number; ring: () => void }>();

  every = (ms: number, ring: () => void) => this.#add(ms, ring);
  after = (ms: number, ring: () => void) => this.#add(ms, ring);

  /** How many have not been called off. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Lets every timer of `ms` ring. */
  ring(ms: number): void {
    for (const timer of this.#waiting) if (timer.ms === ms) timer.ring();
  }

  #add(ms: number, ring: () => void): () => void {
    const timer = { ms, ring };
    this.#waiting.add(timer);
    return () => this.#waiting.delete(timer);
  }
}

/** A logger that remembers. */
export function memoryLogger() {
  const lines: { message: string; cause: unknown }[] = [];
  return {
    lines,
    warn: () => undefined,
    error: (message: string, cause?: unknown) => void lines.push({ message, cause }),
  };
}
