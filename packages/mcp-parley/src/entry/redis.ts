// A store and a bus in Redis, for a fleet. See docs/at-most-once.md for what a failover can lose.
import { redisBus as overRedis } from "../server/redis-bus.js";
import type { RedisBus, RedisBusOptions } from "../server/redis-bus.js";
import {
  redisStore as overClock,
  type RedisStore,
  type RedisStoreOptions,
} from "../store/redis.js";

/**
 * A store in Redis 6.2 or later, or what speaks like it: guards a fleet for as long as the server
 * keeps its memory. For clients of the `redis` package, 5 or later, and of `ioredis`, clusters of
 * `ioredis` included.
 *
 * Redis copies to its replicas after it has answered: when it fails over, the last moments may be
 * forgotten, and what they guarded may happen again. The epoch in each state notices a server that
 * came back empty, not one that came back a second behind.
 *
 * Operations fail with `store_unavailable` within `timeout` ms, with `store_full` when the server
 * is out of memory, and with `usage` when its `maxmemory-policy` may evict keys.
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  return overClock(options);
}

/**
 * A bus over Redis: what one instance of a fleet tells its subscribers (`listChanged`,
 * `resourceUpdated`), subscribers at every other instance hear. For clients of the `redis` package,
 * 5 or later, and of `ioredis`.
 *
 * Changes are hints and Redis keeps none of them: an instance that has lost its connection does not
 * hear what others say meanwhile. When it is back it tells each of its subscribers that all it
 * asked for may have changed, and they read it again. Throws a TypeError for clients that are none.
 */
export function redisBus(options: RedisBusOptions): RedisBus {
  return overRedis(options);
}

export type {
  IoRedisSubscriber,
  NodeRedisSubscriber,
  RedisBus,
  RedisBusOptions,
  RedisSubscriber,
} from "../server/redis-bus.js";
export type { Bus, Change } from "../server/bus.js";
export type { IoRedisClient, NodeRedisClient, RedisClient } from "../store/redis-client.js";
export type { RedisStore, RedisStoreOptions } from "../store/redis.js";
export type { Inserted, Row, Store, Stored } from "../store/store.js";
export { isParleyError, ParleyError } from "../protocol/errors.js";
