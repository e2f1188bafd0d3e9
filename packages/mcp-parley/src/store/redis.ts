import { isParleyError, ParleyError } from "../protocol/errors.js";
import {
  checkedTimeout,
  inTime,
  unavailable,
  type Course,
  type Limits,
  type Verdict,
} from "./in-time.js";
import { replyCode, sending, type RedisClient, type SendCommand } from "./redis-client.js";
import { redisScripts, rowHead, rowText, type Script } from "./redis-scripts.js";
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
    return inTime(
      this.#limits,
      () => this.#check(),
      this.#judge,
      () => undefined,
    );
  }

  insertOrGet(name: string, row: Row): Promise<Inserted> {
    const values = [...written(row), ...body(row)];
    return this.#run(this.#scripts.insert, name, values, this.#found);
  }

  replaceIfOwner(name: string, owner: string, row: Row): Promise<boolean> {
    const values = [...written(row), rowHead(owner), ...body(row)];
    return this.#run(this.#scripts.replace, name, values, this.#done);
  }

  deleteIfOwner(name: string, owner: string): Promise<boolean> {
    return this.#run(this.#scripts.remove, name, [rowHead(owner)], this.#done);
  }

  #run<T>(
    script: Script,
    name: string,
    values: readonly string[],
    read: (reply: unknown) => T,
  ): Promise<T> {
    // The braces keep both keys on one node of a cluster.
    const key = `${this.#prefix}{${name}}`;
    const command = ["EVALSHA", script.sha, "2", key, `${key}:body`, ...values];
    const attempt = (course: Course): Promise<unknown> => {
      course.whenOverdue = this.#doubt;
      return this.#checked
        ? this.#send(command, "at once")
        : this.#check().then(() => this.#send(command));
    };
    const judge = (failure: unknown): Verdict => {
      if (replyCode(failure) !== "NOSCRIPT") return this.#judge(failure);
      command[0] = "EVAL";
      command[1] = script.source;
      return "again";
    };
    return inTime(this.#limits, attempt, judge, read);
  }

  /** Refuses a server that may forget what it was told to keep. */
  async #check(): Promise<void> {
    if (this.#allowEviction) return;
    const memory = String(await this.#send(["INFO", "memory"]));
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

  readonly #found = (reply: unknown): Inserted => {
    if (Array.isArray(reply)) {
      const [owner, mark, body, age] = reply as unknown[];
      const ms = Number(age);
      if (isText(owner) && isText(mark) && isText(body) && ms >= 0) {
        return { kind: "present", row: { owner, mark, body, age: ms } };
      }
    }
    return this.#done(reply) ? { kind: "inserted" } : { kind: "past" };
  };

  /** Some clients are set to give numbers as texts. */
  readonly #done = (reply: unknown): boolean => {
    if (reply === 1 || reply === "1") return true;
    if (reply === 0 || reply === "0") return false;
    throw unavailable(this.name, "answered with something that no script of ours says");
  };
}

function whole(ms: number): string {
  return String(wholeMs(ms));
}

/** A row as the scripts keep it, and when it ends. */
function written({ owner, mark, notAfter }: Row): [string, string] {
  const end = whole(notAfter);
  return [rowText(owner, end, mark), end];
}

/** A body and how long it is kept, as the scripts take them; nothing where nothing is kept. */
function body({ body, bodyFor }: Row): string[] {
  return body === "" || !(bodyFor >= 1) ? [] : [body, whole(bodyFor)];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
