import { isParleyError, ParleyError } from "../protocol/errors.js";
import { checkedTimeout, inTime, unavailable, type Limits, type Verdict } from "./in-time.js";
import { replyCode, sending, type RedisClient, type SendCommand } from "./redis-client.js";
import { redisScripts, type Script } from "./redis-scripts.js";
import type { Inserted, Row, Store } from "./store.js";
import { wholeMs } from "./whole-ms.js";

/** What a {@link redisStore} is made of. */
export interface RedisStoreOptions {
  /** A connected client, of the `redis` package or of `ioredis`. It stays the caller's to close. */
  readonly client: RedisClient;
  /** What all keys begin with. Default `parley:`. Whoever shares it shares the rows. */
  readonly prefix?: string;
  /** How long an operation may take, in ms. Default 2000. */
  readonly timeout?: number;
  /**
   * Takes a server whose `maxmemory-policy` may evict keys. Default false: a mark that is evicted
   * is forgotten, and what it guarded may happen again.
   */
  readonly allowEviction?: boolean;
}

/** A {@link Store} in Redis. */
export interface RedisStore extends Store {
  readonly survives: "fleet";
  /** Rejects now, rather than at the first claim, if the server can't be used or reached. */
  ready(): Promise<void>;
  insertOrGet(name: string, row: Row, holder?: string): Promise<Inserted>;
  replaceIfOwner(name: string, owner: string, row: Row): Promise<boolean>;
  deleteIfOwner(name: string, owner: string): Promise<boolean>;
}

/**
 * Rows in Redis 6.2 or later, shared by a fleet, one script each call.
 *
 * 1. The server may not evict: that is looked at before the first operation, and again after each
 *    failure, since another server may answer then. Fails with `usage`.
 * 2. An operation that takes longer than its time fails; it may still be carried out.
 */
export function redisStore(options: RedisStoreOptions, clock?: string): RedisStore {
  return new Redis(options, clock);
}

class Redis implements RedisStore {
  readonly name = "redis";
  readonly survives = "fleet";
  readonly #send: SendCommand;
  readonly #prefix: string;
  readonly #limits: Limits;
  readonly #allowEviction: boolean;
  readonly #scripts: ReturnType<typeof redisScripts>;
  #checked = false;

  constructor(options: RedisStoreOptions, clock: string | undefined) {
    this.#send = sending(options.client);
    this.#prefix = options.prefix ?? "parley:";
    this.#limits = { name: this.name, timeout: checkedTimeout(options.timeout) };
    this.#allowEviction = options.allowEviction ?? false;
    this.#scripts = redisScripts(clock);
  }

  ready(): Promise<void> {
    return inTime(this.#limits, () => this.#check(), this.#judge);
  }

  insertOrGet(name: string, row: Row): Promise<Inserted> {
    return this.#run(this.#scripts.insert, name, values(row), (reply) => {
      const [kind, owner, mark, body, age] = reply;
      if (kind === "inserted" || kind === "past") return { kind };
      if (
        kind === "present" &&
        owner !== undefined &&
        mark !== undefined &&
        body !== undefined &&
        age !== undefined
      ) {
        return { kind, row: { owner, mark, body, age: Number(age) } };
      }
      throw this.#garbled();
    });
  }

  replaceIfOwner(name: string, owner: string, row: Row): Promise<boolean> {
    return this.#run(this.#scripts.replace, name, [...values(row), owner], this.#yes);
  }

  deleteIfOwner(name: string, owner: string): Promise<boolean> {
    return this.#run(this.#scripts.remove, name, [owner], this.#yes);
  }

  #run<T>(
    script: Script,
    name: string,
    values: readonly string[],
    read: (reply: readonly string[]) => T,
  ): Promise<T> {
    // The braces keep both keys on one node of a cluster.
    const key = `${this.#prefix}{${name}}`;
    const rest = ["2", key, `${key}:body`, ...values];
    const answer = (reply: unknown): T => {
      if (!isTexts(reply)) throw this.#garbled();
      return read(reply);
    };
    const forgotten = (failure: unknown): Promise<T> => {
      if (replyCode(failure) !== "NOSCRIPT") throw failure;
      return this.#send("EVAL", script.source, ...rest).then(answer);
    };
    const ask = (): Promise<T> =>
      this.#send("EVALSHA", script.sha, ...rest).then(answer, forgotten);
    return inTime(
      this.#limits,
      (course) => {
        course.whenOverdue = this.#doubt;
        return this.#checked ? ask() : this.#check().then(ask);
      },
      this.#judge,
    );
  }

  /** Refuses a server that may forget what it was told to keep. */
  async #check(): Promise<void> {
    if (this.#allowEviction) return;
    const memory = String(await this.#send("INFO", "memory"));
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
    if (policy !== "noeviction") {
      throw new ParleyError(
        "usage",
        `The Redis server's maxmemory-policy is ${policy ?? "not known"}: it may evict marks, and ` +
          "what they guard may happen twice. Set it to noeviction, or pass `allowEviction: true`",
      );
    }
    this.#checked = true;
  }

  /** Another server may answer from now on. */
  readonly #doubt = (): void => {
    this.#checked = false;
  };

  readonly #judge = (failure: unknown): Verdict => {
    this.#doubt();
    if (isParleyError(failure)) return failure;
    const code = replyCode(failure);
    if (code === undefined) return "again";
    if (code === "OOM") {
      return new ParleyError(
        "store_full",
        "The Redis server is out of memory: raise its maxmemory, or shorten the life of states",
        { cause: failure },
      );
    }
    return unavailable(this.name, `answered ${code}: see the cause`, failure);
  };

  readonly #yes = ([answer]: readonly string[]): boolean => {
    if (answer !== "yes" && answer !== "no") throw this.#garbled();
    return answer === "yes";
  };

  #garbled(): ParleyError {
    return unavailable(this.name, "answered with something that no script of ours says");
  }
}

/** A row's fields as the scripts take them. */
function values(row: Row): string[] {
  const { owner, mark, body, bodyFor, notAfter } = row;
  return [owner, mark, body, wholeMs(bodyFor).toFixed(0), wholeMs(notAfter).toFixed(0)];
}

function isTexts(reply: unknown): reply is string[] {
  return Array.isArray(reply) && reply.every((part) => typeof part === "string");
}
