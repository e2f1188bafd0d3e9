import { randomBytes } from "node:crypto";
import { Redis as IoRedis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll } from "vitest";
import type { StoreBench } from "../../src/store/contract.js";
import { sending, type RedisClient } from "../../src/store/redis-client.js";
import { REDIS_CLOCK } from "../../src/store/redis-scripts.js";
import { redisStore } from "../../src/store/redis.js";
import { contractOf } from "../contract/store.js";
import { sharedRedis } from "../support/servers/shared.js";

const close: (() => Promise<unknown>)[] = [];
let nodeRedis: RedisClient;
let ioRedis: RedisClient;

beforeAll(async () => {
  const { url } = await sharedRedis();
  const first = createClient({ url });
  await first.connect();
  nodeRedis = first;
  const second = new IoRedis(url);
  ioRedis = second;
  close.push(
    () => first.close(),
    () => second.quit(),
  );
});

afterAll(() => Promise.all(close.map((end) => end())));

/** A store whose server's clock is put forward by what stands under a key of its own. */
function bench(client: RedisClient): StoreBench {
  const prefix = `${randomBytes(8).toString("hex")}:`;
  const skew = `${prefix}skew`;
  const clock = `(${REDIS_CLOCK} + (redis.call('GET', '${skew}') or 0))`;
  const send = sending(client);
  return {
    store: redisStore({ client, prefix }, clock),
    now: async () =>
      Number(await send(["EVAL", `local time = redis.call('TIME') return ${clock}`, "0"])),
    advance: async (ms) => {
      await send(["INCRBY", skew, String(ms)]);
    },
  };
}

contractOf("redis, by the redis package", () => bench(nodeRedis));
contractOf("redis, by ioredis", () => bench(ioRedis));
