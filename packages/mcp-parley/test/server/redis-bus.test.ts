import { randomBytes } from "node:crypto";
import { Redis as IoRedis } from "ioredis";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createMcpServer, text } from "../../src/entry/index.js";
import type { Change, Logger } from "../../src/entry/index.js";
import { redisBus } from "../../src/entry/redis.js";
import type {
  RedisBus,
  RedisBusOptions,
  RedisClient,
  RedisSubscriber,
} from "../../src/entry/redis.js";
import { request } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { runRedis, stopServer } from "../support/servers/run.js";
import type { Running } from "../support/servers/run.js";
import { serversOf } from "../support/servers/shared.js";
import { post, throughNode } from "../transport/doors.js";
import type { Got } from "../transport/doors.js";

/** A server of this file's own: connections to it are cut. */
let server: Running;
let admin: IoRedis;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  const { folder, watched } = serversOf();
  server = await runRedis(folder, watched);
  admin = new IoRedis(server.url, { retryStrategy: () => 20 });
  admin.on("error", () => undefined);
});

afterAll(async () => {
  admin.disconnect();
  await stopServer(server);
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Pair = { client: RedisClient; subscriber: RedisSubscriber };

const packages: Record<string, () => Promise<Pair>> = {
  redis: async () => {
    const options = { url: server.url, socket: { reconnectStrategy: () => 20 } };
    const client = createClient(options);
    const subscriber = createClient(options);
    for (const each of [client, subscriber]) {
      each.on("error", () => undefined);
      await each.connect();
      ends.push(() => each.destroy());
    }
    return { client, subscriber };
  },
  ioredis: async () => {
    const made = [0, 1].map(() => new IoRedis(server.url, { retryStrategy: () => 20 }));
    for (const each of made) ends.push(() => each.disconnect());
    const [client, subscriber] = made as [IoRedis, IoRedis];
    return { client, subscriber };
  },
};

const newChannel = (): string => `c:${randomBytes(6).toString("hex")}`;

interface Heard {
  readonly bus: RedisBus;
  readonly heard: Change[];
}

async function instance(pair: Pair, channel: string, log: Logger | false = false): Promise<Heard> {
  const bus = redisBus({ ...pair, channel, log });
  const heard: Change[] = [];
  bus.subscribe((change) => heard.push(change));
  await bus.ready();
  return { bus, heard };
}

describe.each(Object.keys(packages))("by the %s package", (name) => {
  const pair = (): Promise<Pair> => packages[name]?.() ?? Promise.reject(new Error("none"));

  it("a client that listens at one server hears what another publishes", async () => {
    const channel = newChannel();
    const instances = await Promise.all(
      [1, 2].map(async () => {
        const bus = redisBus({ ...(await pair()), channel });
        await bus.ready();
        const mcp = createMcpServer({ name: "news", version: "1" }, { log: false, bus })
          .tool("t", {}, () => text("x"))
          .resource("plan", "plan://1", {}, () => "x");
        const door = await throughNode(mcp);
        ends.push(() => {
          mcp.close();
          return door.close();
        });
        return { mcp, door };
      }),
    );
    // Adding tools was told, too: let it pass first.
    await quiet(channel);
    const [one, two] = instances;
    if (one === undefined || two === undefined) throw new Error("no instances");
    const listen = request("subscriptions/listen", {
      notifications: { toolsListChanged: true, resourceSubscriptions: ["plan://1"] },
    });
    const got = await one.door.send(post(listen as { method: string }));
    const events = reader(got);
    expect(await events()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    two.mcp.listChanged("prompts");
    two.mcp.listChanged("tools");
    two.mcp.resourceUpdated("plan://2");
    two.mcp.resourceUpdated("plan://1");
    expect(await events()).toMatchObject({ method: "notifications/tools/list_changed" });
    expect(await events()).toMatchObject({
      method: "notifications/resources/updated",
      params: {
        uri: "plan://1",
        _meta: { "io.modelcontextprotocol/subscriptionId": listen["id"] },
      },
    });
    got.leave();
  });

  it("who publishes hears it once, and at once", async () => {
    const channel = newChannel();
    const one = await instance(await pair(), channel);
    const two = await instance(await pair(), channel);
    one.bus.publish({ kind: "tools" });
    expect(one.heard).toEqual([{ kind: "tools" }]);
    await until(() => two.heard.length > 0);
    two.bus.publish({ kind: "resource", uri: "a://1" });
    await until(() => one.heard.length > 1);
    expect(one.heard).toEqual([{ kind: "tools" }, { kind: "resource", uri: "a://1" }]);
    expect(two.heard).toEqual([{ kind: "tools" }, { kind: "resource", uri: "a://1" }]);
  });

  it("an instance whose connection was cut tells that it may have missed something, and listens on", async () => {
    const channel = newChannel();
    const one = await instance(await pair(), channel);
    const two = await instance(await pair(), channel);
    await admin.call("CLIENT", "KILL", "TYPE", "pubsub");
    await until(() => two.heard.length > 0 && one.heard.length > 0);
    expect(two.heard).toEqual([{ kind: "missed" }]);
    one.bus.publish({ kind: "prompts" });
    await until(() => two.heard.length > 1);
    expect(two.heard).toEqual([{ kind: "missed" }, { kind: "prompts" }]);
  });

  it("lets pass whatever else is said under the channel's name", async () => {
    const channel = newChannel();
    const one = await instance(await pair(), channel);
    for (const message of [
      ...["", "{", "7", "null", "[]", "{}", '{"kind":"missed"}', '{"kind":"resource"}'],
      '{"kind":"resource","uri":7}',
      JSON.stringify({ kind: "resource", uri: "a".repeat(80_000) }),
      '{"kind":"tools","from":"a stranger","more":1}',
    ]) {
      await admin.publish(channel, message);
    }
    await until(() => one.heard.length > 0);
    expect(one.heard).toEqual([{ kind: "tools" }]);
  });
});

describe("while Redis is away", () => {
  it("an instance's own subscribers hear what it publishes; the others hear it when it is back", async () => {
    const channel = newChannel();
    const make = packages["redis"];
    if (make === undefined) throw new Error("none");
    const one = await instance(await make(), channel);
    const two = await instance(await make(), channel);
    await stopServer(server);
    for (let n = 0; n < 100; n += 1) one.bus.publish({ kind: "tools" });
    expect(one.heard).toHaveLength(100);
    expect(two.heard).toEqual([]);
    const { folder, watched } = serversOf();
    server = await runRedis(folder, watched, {}, server.port);
    await until(() => two.heard.some(({ kind }) => kind === "missed"));
    one.bus.publish({ kind: "resource", uri: "a://last" });
    await until(() => two.heard.some(({ kind }) => kind === "resource"));
    // A hundred times the same change is told twice at the most.
    expect(two.heard.filter(({ kind }) => kind === "tools").length).toBeLessThanOrEqual(2);
  });

  it("it is said once that others can't be told", async () => {
    const make = packages["ioredis"];
    if (make === undefined) throw new Error("none");
    const log = { warn: vi.fn(), error: vi.fn() };
    const { subscriber } = await make();
    let refuse = true;
    const client = {
      call: () => (refuse ? Promise.reject(new Error("away")) : Promise.resolve(1)),
    };
    const { bus, heard } = await instance({ client, subscriber }, newChannel(), log);
    for (let n = 0; n < 3; n += 1) bus.publish({ kind: "resource", uri: `a://${n}` });
    await until(() => log.error.mock.calls.length > 0);
    expect(heard).toHaveLength(3);
    expect(log.error).toHaveBeenCalledTimes(1);
    refuse = false;
    bus.publish({ kind: "tools" });
    await settled();
    refuse = true;
    bus.publish({ kind: "tools" });
    await until(() => log.error.mock.calls.length > 1);
  });
});

describe("a subscriber that can't listen", () => {
  it("is refused where it is none", () => {
    const client = { call: () => Promise.resolve(1) };
    for (const subscriber of [undefined, {}, client]) {
      const options = { client, subscriber } as unknown as RedisBusOptions;
      expect(() => redisBus(options)).toThrow(TypeError);
    }
  });

  it("is told of by ready, and in the log", async () => {
    const log = { warn: vi.fn(), error: vi.fn() };
    const client = { call: () => Promise.resolve(1) };
    const subscriber = {
      ...client,
      subscribe: () => Promise.reject(new Error("NOPERM")),
      on: () => undefined,
    };
    await expect(redisBus({ client, subscriber, log }).ready()).rejects.toThrow("NOPERM");
    expect(log.error).toHaveBeenCalledTimes(1);
  });
});

/** Events as they come over a stream. */
function reader(got: Got): () => Promise<Wire> {
  let rest = "";
  return async () => {
    for (;;) {
      const end = rest.indexOf("\n\n");
      if (end >= 0) {
        const data = rest
          .slice(0, end)
          .split("\n")
          .find((line) => line.startsWith("data:"));
        rest = rest.slice(end + 2);
        if (data !== undefined) return JSON.parse(data.slice(5)) as Wire;
        continue;
      }
      const piece = await got.next();
      if (piece === undefined) throw new Error("the stream has ended");
      rest += piece;
    }
  };
}

/** Settles when all that was published on the channel before has been heard. */
async function quiet(channel: string): Promise<void> {
  const listener = new IoRedis(server.url);
  await listener.subscribe(channel);
  const heard = new Promise<void>((resolve) => {
    listener.on("message", (_, message: string) => {
      if (message === "quiet") resolve();
    });
  });
  await admin.publish(channel, "quiet");
  await heard;
  listener.disconnect();
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const until = (holds: () => boolean): Promise<void> =>
  vi.waitFor(
    () => {
      if (!holds()) throw new Error("not yet");
    },
    { timeout: 15_000, interval: 5 },
  );
