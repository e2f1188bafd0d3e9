import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { NotDone, createMcpServer, form, text } from "../../src/entry/index.js";
import type { Call, OnceOptions } from "../../src/entry/index.js";
import { INSTRUMENTS } from "../../src/flow/instruments.js";
import type { Clock } from "../../src/ledger/clock.js";
import { ParleyError } from "../../src/protocol/errors.js";
import { OUTCOME_META } from "../../src/server/failures.js";
import type { McpServer } from "../../src/server/server.js";
import { newKeyText } from "../../src/state/key-text.js";
import type { Principal } from "../../src/state/principal.js";
import { memoryStore } from "../../src/store/memory.js";
import type { Store } from "../../src/store/store.js";
import { accept, answer, request, textOf, type Turn } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { grounds, type Ground } from "../support/store-benches.js";

/*
 * What a flow promises of not happening twice, over every store: instances that share keys and a
 * database, each with a connection of its own to it. In memory they share the one store.
 */

const LEASE = 300_000;
const ANN: Principal = { issuer: "https://id.example", subject: "ann", client: "app" };
const BOB: Principal = { ...ANN, subject: "bob" };

/** Goes so many times as fast as the machine's, and forward at will. */
class FastClock implements Clock {
  static readonly TIMES = 20;
  #moved = 0;
  readonly #start = performance.now();

  steady(): number {
    return (performance.now() - this.#start) * FastClock.TIMES + this.#moved;
  }

  now(): number {
    return Math.floor(performance.timeOrigin + this.#start + this.steady());
  }

  after(ms: number, run: () => void, keepAlive: boolean): () => void {
    const timer = setTimeout(run, ms / FastClock.TIMES);
    if (!keepAlive) timer.unref();
    return () => clearTimeout(timer);
  }

  advance(ms: number): void {
    this.#moved += ms;
  }
}

type Handler = (call: Call, args: Wire) => unknown;

/** Instances of a server with one tool, `t`, over a store. */
class Fleet {
  readonly #open: () => Store;
  readonly #handler: Handler;
  readonly #keys = newKeyText();
  readonly clock: FastClock;
  readonly servers: McpServer[] = [];

  constructor(open: () => Store, handler: Handler, clock = new FastClock()) {
    this.clock = clock;
    this.#open = open;
    this.#handler = handler;
  }

  instance(): McpServer {
    const server = createMcpServer(
      { name: "shop", version: "1" },
      {
        keys: this.#keys,
        store: this.#open(),
        log: false,
        lease: LEASE,
        flow: { life: 7_200_000, deadline: 7_200_000 },
        [INSTRUMENTS]: { clock: this.clock },
      },
    );
    server.tool("t", { inputSchema: z.looseObject({}) }, async (args, call) => {
      const said = await this.#handler(call, args);
      return text(JSON.stringify(said ?? null));
    });
    this.servers.push(server);
    return server;
  }
}

async function send(server: McpServer, params: Wire = {}, principal?: Principal): Promise<Turn> {
  const message = request("tools/call", { name: "t", arguments: {}, ...params });
  const context = { principal, signal: new AbortController().signal, notify: () => undefined };
  const reply = await server.dispatch(JSON.parse(JSON.stringify(message)), context);
  const { result, error } = JSON.parse(reply?.text ?? "{}") as Pick<Turn, "result" | "error">;
  return { result, error, notified: [] };
}

/** The first round of a flow, and what its retry sends when everything is accepted. */
async function begun(server: McpServer, params: Wire = {}, principal?: Principal): Promise<Wire> {
  const { result } = await send(server, params, principal);
  if (result?.["resultType"] !== "input_required") throw new Error(JSON.stringify(result));
  const yes = Object.keys(result["inputRequests"] ?? {}).map((key) => [key, accept()] as const);
  return { ...params, ...answer(result, Object.fromEntries(yes)) };
}

/** A whole flow of one question or none. */
async function whole(server: McpServer, params: Wire = {}, principal?: Principal): Promise<Turn> {
  return send(server, await begun(server, params, principal), principal);
}

const outcomeOf = ({ result }: Turn): unknown => (result?.["_meta"] as Wire)[OUTCOME_META];
const valueOf = (turn: Turn): unknown => JSON.parse(textOf(turn));

/** Something to wait at, and whether anybody does. */
function gate(): { open: () => void; arrived: Promise<void>; pass: () => Promise<void> } {
  const arrived = resolvers();
  const opened = resolvers();
  return {
    open: opened.resolve,
    arrived: arrived.promise,
    pass: () => {
      arrived.resolve();
      return opened.promise;
    },
  };
}

function resolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((given) => (resolve = given));
  return { promise, resolve };
}

describe.each(grounds)("over %s", (name, make) => {
  const inMemory = name === "memory";
  let ground: Ground;
  let effects: string[];
  const fleets: Fleet[] = [];
  const clock = new FastClock();

  beforeAll(async () => {
    ground = await make();
  });
  afterAll(async () => {
    for (const { servers } of fleets) for (const server of servers) server.close();
    await ground.close();
  });

  function fleet(handler: Handler): Fleet {
    effects = [];
    const made = new Fleet(() => ground.open(), handler, clock);
    fleets.push(made);
    return made;
  }

  /** Both clocks: the database's own, and the instances'. */
  async function pass(ms: number): Promise<void> {
    await ground.advance(ms);
    clock.advance(ms);
  }

  /** A tool that asks and then has one effect, with what `options` say. */
  function oneEffect(options: OnceOptions<unknown>, inside: () => unknown = () => "v"): Fleet {
    return fleet(async (call) => {
      await call.ask("sure", form("Sure?"));
      return call.once(
        "e",
        (effect) => {
          effects.push(effect.idempotencyKey);
          return inside();
        },
        options,
      );
    });
  }

  it("gives the same bytes to the same round, in turn and at once, and one effect", async () => {
    const shop = oneEffect({});
    const [one, two] = [shop.instance(), shop.instance()];
    const retry = await begun(one);
    const first = await Promise.all([send(one, retry), send(two, retry), send(two, retry)]);
    const then = [await send(one, retry), await send(shop.instance(), retry)];
    for (const turn of [...first, ...then]) expect(turn.result).toEqual(then[0]?.result);
    expect(effects).toHaveLength(1);
    const other = { ...retry, inputResponses: { sure: accept({ other: 1 }) } };
    expect((await send(two, other)).error).toMatchObject({
      code: -32602,
      data: { reason: "spent" },
    });
  });

  it("has a duplicate wait and then come back with nothing but a state, to the same result", async () => {
    const slow = gate();
    const shop = oneEffect({}, () => slow.pass());
    const [one, two] = [shop.instance(), shop.instance()];
    const retry = await begun(one);
    const running = send(one, retry);
    await slow.arrived;
    const waited = clock.steady();
    const { result } = await send(two, retry);
    expect(clock.steady() - waited).toBeGreaterThanOrEqual(2_000);
    expect(result).toMatchObject({ resultType: "input_required" });
    expect(result).not.toHaveProperty("inputRequests");
    slow.open();
    const ended = await running;
    const back = await send(two, { requestState: result?.["requestState"] });
    expect(back.result).toEqual(ended.result);
    expect(effects).toHaveLength(1);
  });

  it("runs the round of a worker that vanished again, with other answers too", async () => {
    const stuck = gate();
    let runs = 0;
    const shop = fleet(async (call) => {
      await call.ask("sure", form("Sure?"));
      if (++runs === 1) await stuck.pass();
      return runs;
    });
    const [one, two] = [shop.instance(), shop.instance()];
    const retry = await begun(one);
    void send(one, retry);
    await stuck.arrived;
    one.close();
    await pass(LEASE);
    const other = { ...retry, inputResponses: { sure: accept({ other: 1 }) } };
    expect(valueOf(await send(two, other))).toBe(2);
  });

  it.each<[string, OnceOptions<unknown>, unknown]>([
    ["is unknown, and said so", {}, undefined],
    ["that does no harm twice is tried again, under the same key", { idempotent: true }, "v"],
    ["that can be found is found", { recover: () => "found" }, "found"],
    [
      "that is found not to have happened is tried again",
      {
        recover: () => {
          throw new NotDone("no");
        },
      },
      "v",
    ],
    [
      "that can't be found out about is unknown",
      {
        recover: () => {
          throw new Error("the provider is away");
        },
      },
      undefined,
    ],
  ])("an effect whose worker vanished %s", async (_, options, value) => {
    const stuck = gate();
    const shop = oneEffect(options, () => (effects.length === 1 ? stuck.pass() : "v"));
    const [one, two] = [shop.instance(), shop.instance()];
    const retry = await begun(one);
    void send(one, retry);
    await stuck.arrived;
    one.close();
    await pass(LEASE);
    const turn = await send(two, retry);
    expect(new Set(effects).size).toBe(1);
    if (value === undefined) {
      expect(outcomeOf(turn)).toBe("effect_unknown");
      expect(textOf(turn)).toMatch(/not known whether/);
    } else expect(valueOf(turn)).toBe(value);
    expect(effects).toHaveLength(value === "v" ? 2 : 1);
    expect((await send(shop.instance(), retry)).result).toEqual(turn.result);
  });

  it("an effect that failed is unknown, unless it says that nothing happened", async () => {
    let failure: Error = new NotDone("The shop is shut");
    const shop = oneEffect({}, () => {
      throw failure;
    });
    const one = shop.instance();
    expect(outcomeOf(await whole(one))).toBe("not_done");
    failure = new Error("half way");
    const retry = await begun(one);
    const unknown = await send(one, retry);
    expect(outcomeOf(unknown)).toBe("effect_unknown");
    expect((await send(shop.instance(), retry)).result).toEqual(unknown.result);
    expect(effects).toHaveLength(2);
  });

  const per = (
    key: string,
    scope: "principal" | "server" = "server",
    keepFor = 3_600_000,
  ): OnceOptions<unknown> => ({ per: { key, scope, keepFor } });

  it("a late outcome heals what was unknown", async () => {
    const slow = gate();
    const shop = oneEffect(per(`late ${name}`), () => slow.pass().then(() => "late"));
    const [one, two] = [shop.instance(), shop.instance()];
    const running = send(one, await begun(one));
    await slow.arrived;
    await ground.advance(LEASE);
    if (!inMemory) expect(outcomeOf(await whole(two))).toBe("effect_unknown");
    slow.open();
    expect(valueOf(await running)).toBe("late");
    expect(valueOf(await whole(two))).toBe("late");
    expect(effects).toHaveLength(1);
  });

  it("a business key holds across flows, restarts and starting over, and only for its time", async () => {
    const shop = oneEffect(per(`order ${name}`), () => effects.length);
    const one = shop.instance();
    expect(valueOf(await whole(one, {}, ANN))).toBe(1);
    expect(valueOf(await whole(one, {}, ANN))).toBe(1);
    one.close();
    expect(valueOf(await whole(shop.instance(), {}, ANN))).toBe(1);
    const other = { arguments: { amount: 7 } };
    expect(outcomeOf(await whole(shop.instance(), other, ANN))).toBe("effect_conflict");
    expect(outcomeOf(await whole(shop.instance(), {}, BOB))).toBe("effect_conflict");
    expect(effects).toHaveLength(1);
    await pass(3_600_001);
    expect(valueOf(await whole(shop.instance(), {}, ANN))).toBe(2);
  });

  it("a business key of a principal is no other's, and an anonymous caller has none", async () => {
    const shop = oneEffect(per(`order ${name}`, "principal"), () => effects.length);
    const one = shop.instance();
    expect(valueOf(await whole(one, {}, ANN))).toBe(1);
    expect(valueOf(await whole(one, {}, BOB))).toBe(2);
    expect(valueOf(await whole(one, {}, ANN))).toBe(1);
    expect((await whole(one)).result).toMatchObject({ isError: true });
    expect(effects).toHaveLength(2);
  });

  it("gives a value the same shape on the first run as on every later one", async () => {
    const shop = fleet(async (call) => {
      await call.ask("sure", form("Sure?"));
      const made = await call.once("e", () => ({ at: new Date(0), gone: undefined }));
      const nothing = await call.once<string | undefined>("n", () => undefined);
      const kept = await call.memo("m", () => ({ at: new Date(0) }));
      await call.ask("more", form("More?"));
      return [made, nothing === undefined, kept];
    });
    const [one, two] = [shop.instance(), shop.instance()];
    const first = await send(one, await begun(one));
    const last = await send(two, answer(first.result ?? {}, { more: accept() }));
    const at = "1970-01-01T00:00:00.000Z";
    expect(valueOf(last)).toEqual([{ at }, true, { at }]);
  });

  it("has the client hold the flow before anything happens to the world", async () => {
    const shop = fleet((call) => call.once("e", () => effects.push("e")));
    const one = shop.instance();
    const { result } = await send(one);
    expect(result).toMatchObject({ resultType: "input_required" });
    expect(result).not.toHaveProperty("inputRequests");
    expect(effects).toEqual([]);
    const retry = { requestState: result?.["requestState"] };
    expect(valueOf(await send(one, retry))).toBe(1);
    expect(valueOf(await send(shop.instance(), retry))).toBe(1);
  });

  it("keeps a memo in the state, from the next round on", async () => {
    let computed = 0;
    const shop = fleet(async (call) => {
      const value = await call.memo("m", () => (computed += 1));
      await call.ask("sure", form("Sure?"));
      await call.ask("why", form("Why?"));
      return value;
    });
    const second = await send(shop.instance(), await begun(shop.instance()));
    const last = await send(shop.instance(), answer(second.result ?? {}, { why: accept() }));
    expect(valueOf(last)).toBe(1);
    expect(computed).toBe(1);
  });

  it("says that a state will be too large before anything happens, naming what is large", async () => {
    const shop = fleet(async (call) => {
      await call.ask("sure", form("Sure?"));
      try {
        await call.memo("huge", () => "x".repeat(64 * 1024));
        return await call.once("e", () => effects.push("e"));
      } catch (error) {
        return error instanceof ParleyError ? [error.code, error.message] : "another failure";
      }
    });
    const told = valueOf(await whole(shop.instance()));
    expect(told).toEqual(["state_too_large", expect.stringMatching(/huge/)]);
    expect(effects).toEqual([]);
  });

  it("keeps a large value of an effect without losing it, nor the flow", async () => {
    const large = "x".repeat(200 * 1024);
    const shop = fleet(async (call) => {
      const value = await call.once("e", () => (effects.push("e"), large));
      await call.ask("sure", form("Sure?"));
      return value.length;
    });
    const { result: begin } = await send(shop.instance());
    const { result } = await send(shop.instance(), { requestState: begin?.["requestState"] });
    const retry = answer(result ?? {}, { sure: accept() });
    expect(valueOf(await send(shop.instance(), retry))).toBe(large.length);
    expect(effects).toEqual(["e"]);
  });

  it.skipIf(inMemory)(
    "shows nothing in a dump of the store: hashed names, sealed values",
    async () => {
      await ground.wipe();
      const shop = fleet(async (call) => {
        const { said } = await call.ask(
          "ask-secret",
          form("Question-secret?", z.object({ said: z.string() })),
        );
        await call.once("key-secret", () => "value-secret", per("order-secret"));
        return `result-secret ${said}`;
      });
      const one = shop.instance();
      const params = { arguments: { given: "argument-secret" } };
      const { result } = await send(one, params, { ...ANN, subject: "subject-secret" });
      const yes = { "ask-secret": accept({ said: "answer-secret" }) };
      const retry = { ...params, ...answer(result ?? {}, yes) };
      await send(one, retry, { ...ANN, subject: "subject-secret" });
      const dump = await ground.dump();
      expect(dump.length).toBeGreaterThan(300);
      expect(dump).not.toMatch(/secret/);
      const decoded = [...dump.matchAll(/[\w+/=-]{16,}/g)].map(([word]) =>
        Buffer.from(word, "base64url").toString("latin1"),
      );
      expect(decoded.join("\n")).not.toMatch(/secret/);
    },
  );

  it.skipIf(inMemory)("refuses a state when the store has lost its memory", async () => {
    const shop = oneEffect({});
    const one = shop.instance();
    const spent = await begun(one);
    await send(one, spent);
    const unspent = await begun(one);
    await ground.wipe();
    clock.advance(1_000);
    for (const state of [spent, unspent]) {
      expect((await send(one, state)).error).toMatchObject({ code: -32602 });
      expect((await send(shop.instance(), state)).error).toMatchObject({ code: -32602 });
    }
    expect(effects).toHaveLength(1);
    expect(valueOf(await whole(one))).toBe("v");
  });

  it("a refused attempt's corrected retry completes", async () => {
    const shop = oneEffect({});
    const [one, two] = [shop.instance(), shop.instance()];
    const retry = await begun(one);
    for (const sure of [7, { action: "perhaps" }, null]) {
      const refused = await send(one, { ...retry, inputResponses: { sure } });
      expect(refused.error).toMatchObject({ code: -32602 });
    }
    expect(valueOf(await send(two, retry))).toBe("v");
    expect(effects).toHaveLength(1);
  });
});

describe("a store that fails", () => {
  const failures = ["store_unavailable", "store_full"] as const;

  it.each(failures)(
    "closed: %s is an internal error, nothing runs, and it is well again",
    async (code) => {
      let fails = false;
      let effects = 0;
      const rows = memoryStore();
      const carry = <T>(act: () => T): Promise<T> =>
        fails ? Promise.reject(new ParleyError(code, "secret words")) : Promise.resolve(act());
      const store: Store = {
        name: "remote",
        survives: "fleet",
        insertOrGet: (...all) => carry(() => rows.insertOrGet(...all)),
        replaceIfOwner: (...all) => carry(() => rows.replaceIfOwner(...all)),
        deleteIfOwner: (...all) => carry(() => rows.deleteIfOwner(...all)),
      };
      const shop = new Fleet(
        () => store,
        async (call) => {
          await call.ask("sure", form("Sure?"));
          return call.once("e", () => (effects += 1));
        },
      );
      const one = shop.instance();
      const retry = await begun(one);
      fails = true;
      for (const params of [retry, {}]) {
        const { error } = await send(one, params);
        expect(error).toMatchObject({ code: -32603 });
        expect(JSON.stringify(error)).not.toContain("secret words");
      }
      expect(effects).toBe(0);
      fails = false;
      expect(valueOf(await send(one, retry))).toBe(1);
      one.close();
    },
  );
});
