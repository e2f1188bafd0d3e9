import { isObject } from "../protocol/json.js";
import { hearErrors } from "./hear-errors.js";

/** A connected client of the `redis` package. */
export interface NodeRedisClient {
  /** Whether it is connected at the moment. */
  readonly isReady?: boolean;
  sendCommand(command: string[], options?: { timeout?: number }): Promise<unknown>;
}

/** A client or a cluster of the `ioredis` package. */
export interface IoRedisClient {
  call(command: string, ...values: string[]): Promise<unknown>;
}

/** Either of them. */
export type RedisClient = NodeRedisClient | IoRedisClient;

/**
 * Sends one command, its words as they are, and gives its reply. `at once` is for a server that
 * answered a moment ago: where the client is connected, nothing waits to be written.
 */
export type SendCommand = (command: string[], when?: "at once") => Promise<unknown>;

/** The `redis` package else times how long a command waits to be written: that costs more than to write it. */
const UNTIMED = { timeout: 0 };

/** The one thing that the store needs of a client, of whichever package. */
export function sending(client: RedisClient): SendCommand {
  hearErrors(client);
  if (has(client, "call")) {
    return ([command = "", ...values]) => client.call(command, ...values);
  }
  if (has(client, "sendCommand")) {
    return (command, when) =>
      when === "at once" && client.isReady === true
        ? client.sendCommand(command, UNTIMED)
        : client.sendCommand(command);
  }
  throw new TypeError("`client` is a client of the redis package or of ioredis");
}

function has<K extends string>(
  client: unknown,
  method: K,
): client is Record<K, (...values: never[]) => unknown> {
  return isObject(client) && typeof client[method] === "function";
}

/** The first word of what Redis itself answered, such as `NOSCRIPT`; undefined if it did not. */
export function replyCode(failure: unknown): string | undefined {
  if (!(failure instanceof Error)) return undefined;
  return /^(?:-)?([A-Z][A-Z0-9]+) /.exec(failure.message)?.[1];
}
