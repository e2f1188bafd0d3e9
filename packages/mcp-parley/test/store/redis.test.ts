import { randomBytes } from "node:crypto";
import { Redis as IoRedis } from "ioredis";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { redisStore, type RedisStoreOptions } from "../../src/store/redis.js";
import { replyCode, sending } from "../../src/store/redis-client.js";
import type { Row } from "../../src/store/store.js";
import { freePort, runRedis, stopServer, type Running } from "../support/servers/run.js";
import { serversOf } from "../support/servers/shared.js";

type NodeRedis = Awaited<ReturnType<typeof connected>>;

const away: unknown = expect.objectContaining({ code: "store_unavailable" });
const full: unknown = expect.objectContaining({ code: "store_full" });
const usage: unknown = expect.objectContaining({ code: "usage" });

let server: Running;
let admin: NodeRedis;
let client: NodeRedis;
const ends: (() => unknown)[] = [];

/** A server of this file's own: what is done to it here would disturb others. */
beforeAll(async () => {
  const { folder, watched } = serversOf();
  server = await runRedis(folder, watched, { "enable-debug-command": "yes" });
  admin = await connected();
  client = await connected();
});

afterAll(async () => {
  for (const end of ends) await end();
  admin.destroy();
  client.destroy();
  await stopServer(server);
});

afterEach(async () => {
  await admin.configSet({ "maxmemory-policy": "noeviction", maxmemory: "0" });
});

async function connected(url = server.url) {
  const made = createClient({ url });
  made.on("error", () => undefined);
  await made.connect();
  return made;
}

const store = (change: Partial<RedisStoreOptions> = {}) =>
  redisStore({ client, prefix: `${randomBytes(6).toString("hex")}:`, timeout: 5_000, ...change });

const row = (change: Partial<Row> = {}): Row => ({
  owner: "me",
  mark: "m",
  body: "",
  bodyFor: 0,
  notAfter: Date.now() + 60_000,
  ...change,
});

/** A client that keeps what it was sent, and answers from a list, the last over and over. */
function script(...answers: unknown[]) {
  const sent: string[][] = [];
  const sendCommand = async (command: string[]): Promise<unknown> => {
    sent.push(command);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { client: { sendCommand }, sent };
}

describe("in Redis", () => {
  test("says what it is, and begins its keys with parley: unless told otherwise", async () => {
    const one = redisStore({ client, timeout: 5_000 });
    expect(one).toMatchObject({ name: "redis", survives: "fleet" });
    const name = randomBytes(6).toString("hex");
    await one.insertOrGet(name, row());
    expect(await admin.exists(`parley:{${name}}`)).toBe(1);
  });

  test("a body is sent where it is kept for a while, and not where nothing is", async () => {
    const { client: mine, sent } = script(1);
    const one = store({ client: mine, allowEviction: true });
    const last = (): string[] => (sent.at(-1) ?? []).slice(7);
    await one.insertOrGet("a", row({ body: "text", bodyFor: 1 }));
    expect(last()).toEqual(["text", "1"]);
    await one.insertOrGet("a", row({ body: "text", bodyFor: 0.5 }));
    expect(last()).toEqual([]);
    await one.insertOrGet("a", row({ body: "", bodyFor: 10 }));
    expect(last()).toEqual([]);
  });

  test("numbers may come as texts", async () => {
    const yes = store({ client: script("1").client, allowEviction: true });
    expect(await yes.insertOrGet("a", row())).toEqual({ kind: "inserted" });
    expect(await yes.deleteIfOwner("a", "me")).toBe(true);
    const no = store({ client: script("0").client, allowEviction: true });
    expect(await no.insertOrGet("a", row())).toEqual({ kind: "past" });
    expect(await no.deleteIfOwner("a", "me")).toBe(false);
  });

  test("two prefixes are two stores, one prefix is one", async () => {
    const one = store({ prefix: "p:" });
    await one.insertOrGet("a", row());
    expect(await store({ prefix: "p:" }).insertOrGet("a", row())).toMatchObject({
      kind: "present",
    });
    expect(await store({ prefix: "q:" }).insertOrGet("a", row())).toEqual({ kind: "inserted" });
  });

  test("a row and its body expire by themselves", async () => {
    const one = store({ prefix: "x:" });
    await one.insertOrGet("a", row({ body: "text", bodyFor: 30_000 }));
    expect(await admin.pTTL("x:{a}")).toBeGreaterThan(50_000);
    expect(await admin.pTTL("x:{a}:body")).toBeLessThanOrEqual(30_000);
    await one.replaceIfOwner("a", "me", row({ body: "text", bodyFor: 600_000 }));
    expect(await admin.pTTL("x:{a}:body")).toBeLessThanOrEqual(60_000);
    await one.replaceIfOwner("a", "me", row());
    expect(await admin.exists("x:{a}:body")).toBe(0);
    await one.deleteIfOwner("a", "me");
    expect(await admin.exists("x:{a}")).toBe(0);
  });

  test("a row replaced by one whose time is over is gone", async () => {
    const one = store();
    await one.insertOrGet("a", row());
    expect(await one.replaceIfOwner("a", "me", row({ notAfter: 1 }))).toBe(true);
    expect(await one.insertOrGet("a", row())).toEqual({ kind: "inserted" });
  });

  test("scripts are sent again when the server has forgotten them", async () => {
    const one = store();
    await one.insertOrGet("a", row());
    await admin.scriptFlush();
    expect(await one.replaceIfOwner("a", "me", row())).toBe(true);
    expect(await one.deleteIfOwner("a", "me")).toBe(true);
  });

  test("takes the server's clock for the time", async () => {
    const one = store();
    expect(await one.insertOrGet("a", row({ notAfter: Date.now() - 5_000 }))).toEqual({
      kind: "past",
    });
  });
});

describe("in a cluster", () => {
  test("both keys of a row are on one node, by ioredis", async () => {
    const { folder, watched } = serversOf();
    const bus = String(await freePort());
    const settings = {
      "cluster-enabled": "yes",
      "cluster-port": bus,
      "cluster-announce-ip": "127.0.0.1",
    };
    const node = await runRedis(folder, watched, settings);
    const alone = new IoRedis(node.url);
    await alone.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    await expect
      .poll(() => alone.call("CLUSTER", "INFO"), { timeout: 20_000 })
      .toMatch(/cluster_state:ok/);
    alone.disconnect();
    const cluster = new IoRedis.Cluster([{ host: "127.0.0.1", port: node.port }]);
    ends.push(async () => {
      cluster.disconnect();
      await stopServer(node);
    });
    const one = store({ client: cluster, timeout: 20_000 });
    expect(await one.insertOrGet("a", row({ body: "text", bodyFor: 9_000 }))).toEqual({
      kind: "inserted",
    });
    expect(await one.insertOrGet("a", row())).toMatchObject({ row: { body: "text" } });
    expect(await one.deleteIfOwner("a", "me")).toBe(true);
  });
});

describe("a server that may evict", () => {
  test.each(["allkeys-lru", "volatile-ttl"])(
    "is refused (%s), before anything is claimed",
    async (policy) => {
      await admin.configSet("maxmemory-policy", policy);
      const one = store({ prefix: `${policy}:` });
      await expect(one.insertOrGet("a", row())).rejects.toThrow(usage);
      await expect(one.ready()).rejects.toThrow(new RegExp(`${policy}.*noeviction.*allowEviction`));
      expect(await admin.exists(`${policy}:{a}`)).toBe(0);
      await admin.configSet("maxmemory-policy", "noeviction");
      await one.ready();
      expect(await one.insertOrGet("a", row())).toEqual({ kind: "inserted" });
    },
  );

  test("is taken when told so", async () => {
    await admin.configSet("maxmemory-policy", "allkeys-lru");
    const one = store({ allowEviction: true });
    await one.ready();
    expect(await one.insertOrGet("a", row())).toEqual({ kind: "inserted" });
  });

  test("is looked for once, and again after a failure", async () => {
    const commands: string[] = [];
    let fails = false;
    const watching = {
      sendCommand: async (command: string[]) => {
        commands.push(command[0] ?? "");
        if (fails) throw new Error("ERR no");
        return client.sendCommand(command);
      },
    };
    const one = store({ client: watching });
    const looks = () => commands.filter((command) => command === "INFO").length;
    await one.insertOrGet("a", row());
    await one.insertOrGet("b", row());
    expect(looks()).toBe(1);
    fails = true;
    await expect(one.insertOrGet("c", row())).rejects.toThrow(away);
    fails = false;
    await one.insertOrGet("c", row());
    expect(looks()).toBe(2);
  });

  test("is told by the line of its policy alone", async () => {
    const memory = "x_maxmemory_policy:noeviction\r\nmaxmemory_policy:allkeys-lru\r\n";
    await expect(store({ client: script(memory).client }).ready()).rejects.toThrow(/allkeys-lru/);
  });

  test("may be one that does not say, and is refused", async () => {
    const silent = { sendCommand: async () => "redis_version:7" };
    await expect(store({ client: silent }).ready()).rejects.toThrow(/is not known/);
  });
});

describe("when something is wrong", () => {
  test("a server out of memory is full, and is well again with memory", async () => {
    const one = store();
    await one.insertOrGet("a", row());
    await admin.configSet("maxmemory", "1");
    await expect(one.insertOrGet("b", row())).rejects.toThrow(full);
    await expect(one.replaceIfOwner("a", "me", row())).rejects.toThrow(/raise its maxmemory/);
    await admin.configSet("maxmemory", "0");
    expect(await one.insertOrGet("b", row())).toEqual({ kind: "inserted" });
  });

  test("a replica that can't be written is unavailable", async () => {
    const one = store();
    await one.ready();
    await admin.replicaOf("127.0.0.1", 1);
    try {
      await expect(one.insertOrGet("a", row())).rejects.toThrow(away);
    } finally {
      await admin.sendCommand(["REPLICAOF", "NO", "ONE"]);
    }
    expect(await one.insertOrGet("a", row())).toEqual({ kind: "inserted" });
  });

  test("a server that does not answer is unavailable in time, and well again later", async () => {
    const one = store({ timeout: 200 });
    await one.ready();
    await admin.sendCommand(["CLIENT", "PAUSE", "3000", "ALL"]);
    const start = performance.now();
    await expect(one.insertOrGet("a", row())).rejects.toThrow("within 200 ms");
    expect(performance.now() - start).toBeLessThan(2_800);
    expect(await store({ timeout: 20_000 }).insertOrGet("a", row())).toEqual({ kind: "inserted" });
  });

  test.each(["redis", "ioredis"])("a connection that is cut is made again (%s)", async (kind) => {
    const mine = kind === "redis" ? await connected() : new IoRedis(server.url);
    ends.push(() => {
      if ("destroy" in mine) mine.destroy();
      else mine.disconnect();
    });
    const one = store({ client: mine });
    const id = Number(await sending(mine)(["CLIENT", "ID"]));
    await one.insertOrGet("a", row());
    await admin.sendCommand(["CLIENT", "KILL", "ID", String(id)]);
    expect(await one.insertOrGet("b", row())).toEqual({ kind: "inserted" });
    expect(await one.insertOrGet("a", row())).toMatchObject({ kind: "present" });
  });

  test("a key that holds something else is unavailable", async () => {
    const one = store({ prefix: "odd:" });
    await admin.set("odd:{a}", "something else");
    await admin.lPush("odd:{b}", "a list");
    const cause: unknown = expect.objectContaining({
      message: expect.stringContaining("no row of a parley store") as string,
    });
    const odd: unknown = expect.objectContaining({ code: "store_unavailable", cause });
    await expect(one.insertOrGet("a", row())).rejects.toEqual(odd);
    await expect(one.replaceIfOwner("a", "me", row())).rejects.toEqual(odd);
    await expect(one.deleteIfOwner("b", "me")).rejects.toThrow("answered WRONGTYPE: see the cause");
    expect(await admin.get("odd:{a}")).toBe("something else");
  });

  const lists = [
    [1, "m", "b", 0],
    ["o", 1, "b", 0],
    ["o", "m", 1, 0],
    ["o", "m", "b", "x"],
    ["o", "m", "b", -1],
  ];
  test.each<[unknown]>([
    [null],
    ["yes"],
    [[1]],
    [[]],
    [["maybe"]],
    ...lists.map((list): [unknown] => [list]),
  ])("an answer that no script gives is unavailable: %j", async (answer) => {
    const odd = { sendCommand: async () => answer };
    const one = store({ client: odd, allowEviction: true });
    await expect(one.insertOrGet("a", row())).rejects.toThrow(away);
    await expect(one.replaceIfOwner("a", "me", row())).rejects.toThrow(away);
    await expect(one.deleteIfOwner("a", "me")).rejects.toThrow("that no script of ours says");
  });

  test("what is no client is a TypeError", () => {
    expect(() => store({ client: {} as never })).toThrow(TypeError);
    expect(() => store({ client: {} as never })).toThrow("of the redis package or of ioredis");
  });

  test("a connection that breaks is tried again, and then the server is looked at again", async () => {
    const info = "maxmemory_policy:noeviction";
    const { client: mine, sent } = script(info, new Error("Socket closed"), info, 1);
    expect(await store({ client: mine }).insertOrGet("a", row())).toEqual({ kind: "inserted" });
    expect(sent.map(([command]) => command)).toEqual(["INFO", "EVALSHA", "INFO", "EVALSHA"]);
  });
});

describe("how long a command may wait to be written", () => {
  const cases: [string, Partial<RedisStoreOptions>, boolean | undefined, (number | undefined)[]][] =
    [
      ["is not timed again while the server answers", {}, true, [undefined, undefined, 0]],
      [
        "is the client's to say while it is not connected",
        {},
        false,
        [undefined, undefined, undefined],
      ],
      [
        "is the client's to say if it does not tell",
        {},
        undefined,
        [undefined, undefined, undefined],
      ],
      [
        "is the client's to say of a server nobody looks at",
        { allowEviction: true },
        true,
        [undefined, undefined],
      ],
    ];
  test.each(cases)("%s", async (_, change, isReady, timeouts) => {
    const told: (number | undefined)[] = [];
    const sendCommand = async ([command]: string[], options?: { timeout?: number }) => {
      told.push(options?.timeout);
      return command === "INFO" ? "maxmemory_policy:noeviction" : 1;
    };
    const mine = isReady === undefined ? { sendCommand } : { sendCommand, isReady };
    const one = store({ client: mine, ...change });
    // The first one looks at the server before it goes.
    await one.insertOrGet("a", row());
    await one.deleteIfOwner("a", "me");
    expect(told).toEqual(timeouts);
  });

  test("is the client's to say from the first command on that got no answer", async () => {
    const one = store({ timeout: 100 });
    await one.ready();
    const told: [string | undefined, number | undefined][] = [];
    const heard = client.sendCommand.bind(client);
    client.sendCommand = (command: string[], options?: { timeout?: number }) => {
      told.push([command[0], options?.timeout]);
      return heard(command, options);
    };
    try {
      await admin.sendCommand(["CLIENT", "PAUSE", "1000", "ALL"]);
      for (const name of ["a", "b", "c"]) {
        await expect(one.insertOrGet(name, row())).rejects.toThrow(away);
      }
    } finally {
      client.sendCommand = heard;
    }
    expect(told).toEqual([
      ["EVALSHA", 0],
      ["INFO", undefined],
      ["INFO", undefined],
    ]);
    await store({ timeout: 20_000 }).ready();
  });
});

describe("what Redis answered", () => {
  test("is told from what the client says by its first word", () => {
    expect(replyCode(new Error("OOM command not allowed"))).toBe("OOM");
    expect(replyCode(new Error("Socket closed unexpectedly"))).toBeUndefined();
    expect(replyCode("OOM command")).toBeUndefined();
    expect(replyCode({ message: "OOM command not allowed" })).toBeUndefined();
    expect(replyCode(new Error("-OOM command not allowed"))).toBe("OOM");
    expect(replyCode(new Error("told OOM by somebody"))).toBeUndefined();
  });
});

describe("a server that goes away", () => {
  test("is unavailable in time, and used again once it is back, empty or not", async () => {
    const { folder, watched } = serversOf();
    const first = await runRedis(folder, watched);
    const mine = await connected(first.url);
    ends.push(() => mine.destroy());
    const one = store({ client: mine, timeout: 300 });
    await one.insertOrGet("a", row());
    await stopServer(first);
    await expect(one.insertOrGet("b", row())).rejects.toThrow(away);
    const second = await runRedis(folder, watched, {}, first.port);
    const patient = store({ client: mine, timeout: 20_000 });
    expect(await patient.insertOrGet("b", row())).toEqual({ kind: "inserted" });
    await stopServer(second);
  });
});
