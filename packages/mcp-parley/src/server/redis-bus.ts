/**
 * Changes between the instances of a fleet, over Redis.
 *
 * 1. What this instance publishes, its own subscribers hear at once, whether Redis is there or not.
 * 2. Nothing is published twice because it was heard.
 * 3. After a time without a connection this instance's subscribers are told that they may have
 *    missed something. What is published while Redis is away goes out when it is back.
 * 4. However long Redis is away, what waits for it is bounded.
 */
import { randomUUID } from "node:crypto";
import type { Logger } from "../flow/options.js";
import { isObject, own } from "../protocol/json.js";
import { hearErrors } from "../store/hear-errors.js";
import { sending } from "../store/redis-client.js";
import type { RedisClient, SendCommand } from "../store/redis-client.js";
import { localBus } from "./bus.js";
import type { Bus, Change } from "./bus.js";

/** A connection of the `redis` package that is used for nothing else, such as `client.duplicate()`. */
export interface NodeRedisSubscriber {
  sendCommand(command: string[]): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  on(event: "ready", listener: () => void): unknown;
}

/** A connection of the `ioredis` package that is used for nothing else, such as `client.duplicate()`. */
export interface IoRedisSubscriber {
  call(command: string, ...values: string[]): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  on(event: "ready", listener: () => void): unknown;
  on(event: "message", listener: (channel: string, message: string) => void): unknown;
}

/** Either of them. */
export type RedisSubscriber = NodeRedisSubscriber | IoRedisSubscriber;

/** What a {@link redisBus} is made of. */
export interface RedisBusOptions {
  /** A connected client, of the `redis` package or of `ioredis`. It stays the caller's to close. */
  readonly client: RedisClient;
  /**
   * A second connected client of the same package, for this alone: a connection that listens can do
   * nothing else. It stays the caller's to close.
   */
  readonly subscriber: RedisSubscriber;
  /** What instances meet under: give each fleet its own. Default `parley:changes`. */
  readonly channel?: string;
  /** Is told when Redis can't be told or heard. Default: `console`; false is silent. */
  readonly log?: Logger | false;
}

/** A {@link Bus} over Redis. */
export interface RedisBus extends Bus {
  /** Settles once this instance hears the others; rejects if it can't be made to. */
  ready(): Promise<void>;
}

/** The longest message heard, in characters: a URI, and some. */
const LONGEST = 70_000;
/** How many different changes may wait for Redis. */
const MOST_WAITING = 10_000;

/** Throws a TypeError for clients that are none. */
export function redisBus(options: RedisBusOptions): RedisBus {
  return new OverRedis(options);
}

class OverRedis implements RedisBus {
  readonly #here = localBus();
  readonly #me: string = randomUUID();
  readonly #channel: string;
  readonly #send: SendCommand;
  readonly #listen: () => Promise<unknown>;
  readonly #log: Logger | undefined;
  /** What is on its way to Redis; true where it has changed again since. */
  readonly #waiting = new Map<string, boolean>();
  #listening: Promise<unknown>;
  #hasListened = false;
  #isSilent = false;

  constructor({ client, subscriber, channel = "parley:changes", log }: RedisBusOptions) {
    this.#channel = channel;
    this.#log = log === false ? undefined : (log ?? console);
    this.#send = sending(client);
    this.#listen = listening(subscriber, channel, (message) => this.#hear(message));
    this.#listening = this.#begin();
    // Both packages listen again by themselves when they may; asking once more does no harm.
    subscriber.on("ready", () => {
      if (this.#hasListened) this.#listening = this.#begin();
    });
  }

  async ready(): Promise<void> {
    await this.#listening;
  }

  publish(change: Change): void {
    this.#here.publish(change);
    this.#tell(JSON.stringify({ from: this.#me, ...change }));
  }

  subscribe(listener: (change: Change) => void): () => void {
    return this.#here.subscribe(listener);
  }

  #begin(): Promise<unknown> {
    const begun = this.#listen().then(() => {
      if (this.#hasListened) this.#here.publish({ kind: "missed" });
      this.#hasListened = true;
    });
    begun.catch((error: unknown) => {
      // Whenever the connection is ready, it is tried again.
      this.#hasListened = true;
      this.#log?.error("Changes of other instances can't be heard over Redis", error);
    });
    return begun;
  }

  #tell(message: string): void {
    if (this.#waiting.has(message)) {
      // The one on its way may have been heard before this change.
      this.#waiting.set(message, true);
      return;
    }
    if (this.#waiting.size >= MOST_WAITING) {
      this.#complain(new Error("Too many changes wait for Redis"));
      return;
    }
    this.#waiting.set(message, false);
    const settled = (): void => {
      const again = this.#waiting.get(message);
      this.#waiting.delete(message);
      if (again === true) this.#tell(message);
    };
    this.#send(["PUBLISH", this.#channel, message]).then(
      () => {
        this.#isSilent = false;
        settled();
      },
      (error: unknown) => {
        this.#complain(error);
        this.#waiting.delete(message);
      },
    );
  }

  /** Once until it works again: there may be many. */
  #complain(error: unknown): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    this.#log?.error("Other instances can't be told of changes over Redis", error);
  }

  /** Whatever else is said under the channel's name is let pass. */
  #hear(message: string): void {
    if (message.length > LONGEST) return;
    const change = readChange(message, this.#me);
    if (change !== undefined) this.#here.publish(change);
  }
}

/** How to listen, by whichever package. */
function listening(
  subscriber: RedisSubscriber,
  channel: string,
  hear: (message: string) => void,
): () => Promise<unknown> {
  hearErrors(subscriber);
  if (!can(subscriber, "subscribe") || !can(subscriber, "on")) {
    throw new TypeError("`subscriber` is a client of the redis package or of ioredis");
  }
  if (!isIoRedis(subscriber)) return () => subscriber.subscribe(channel, hear);
  subscriber.on("message", (from, message) => {
    if (from === channel) hear(message);
  });
  return () => subscriber.subscribe(channel);
}

function isIoRedis(subscriber: RedisSubscriber): subscriber is IoRedisSubscriber {
  return can(subscriber, "call");
}

function can(client: unknown, method: string): boolean {
  return isObject(client) && typeof client[method] === "function";
}

function readChange(message: string, me: string): Change | undefined {
  let read: unknown;
  try {
    read = JSON.parse(message);
  } catch {
    return undefined;
  }
  if (!isObject(read) || own(read, "from") === me) return undefined;
  const kind = own(read, "kind");
  const uri = own(read, "uri");
  if (kind === "tools" || kind === "prompts" || kind === "resources") return { kind };
  return kind === "resource" && typeof uri === "string" ? { kind, uri } : undefined;
}
