import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import { openClient } from "../../src/client/open.js";
import type { SubscribeOptions } from "../../src/client/subscribe.js";
import type {
  SubscriptionEvent,
  SubscriptionFilter,
} from "../../src/client/subscription-events.js";
import { ParleyError } from "../../src/protocol/errors.js";
import { FakeClock } from "./fake-clock.js";
import { MemoryLink, type Waiting } from "./memory-link.js";

/*
 * A subscription against a server that does as the test says. Over real transports it is in
 * subscriptions-wire.test.ts.
 */

const ID = "io.modelcontextprotocol/subscriptionId";
const TOOLS = "notifications/tools/list_changed";
const UPDATED = "notifications/resources/updated";

const tell = (to: Waiting, method: string, params: Record<string, unknown> = {}): void =>
  to.notify(method, { _meta: { [ID]: to.id }, ...params });

const acknowledge = (to: Waiting, notifications: unknown = { toolsListChanged: true }): void =>
  tell(to, "notifications/subscriptions/acknowledged", { notifications });

const end = (to: Waiting): void =>
  to.answer({ result: { resultType: "complete", _meta: { [ID]: to.id } } });

const cut = (to: Waiting | undefined): void =>
  to?.fail(new ParleyError("transport_failed", "The stream ended."));

interface Listening {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly link: MemoryLink;
  readonly events: AsyncGenerator<SubscriptionEvent, void, undefined>;
  /** The stream with that number, once it is asked for. */
  stream(index?: number): Promise<Waiting>;
  next(): Promise<SubscriptionEvent | undefined>;
}

async function listen(
  filter: SubscriptionFilter = { toolsListChanged: true },
  options: SubscribeOptions = {},
): Promise<Listening> {
  const clock = new FakeClock();
  const link = new MemoryLink(() => undefined);
  const client = await openClient(link, {}, clock);
  const events = client.listen(filter, options);
  return {
    client,
    clock,
    link,
    events,
    async stream(index = 0) {
      for (let turns = 0; turns < 1_000; turns++) {
        const found = link.sent[index];
        if (found !== undefined) return found;
        await setImmediate();
      }
      throw new Error(`stream ${index} was never opened`);
    },
    async next() {
      const { value, done } = await events.next();
      return done === true ? undefined : value;
    },
  };
}

/** One that is open. */
async function opened(
  filter: SubscriptionFilter = { toolsListChanged: true },
  options: SubscribeOptions = {},
) {
  const listening = await listen(filter, options);
  const open = listening.next();
  const first = await listening.stream();
  acknowledge(first, filter);
  expect(await open).toMatchObject({ kind: "open" });
  return { ...listening, first };
}

describe("a subscription", () => {
  test("asks for what it was given, and says what the server will tell of", async () => {
    const { next, stream, link } = await listen({
      toolsListChanged: true,
      promptsListChanged: false,
      resourcesListChanged: true,
      resourceSubscriptions: ["file:///a", "file:///b", "file:///a"],
    });
    await setImmediate();
    expect(link.sent).toEqual([]); // nothing is sent before the first step
    const open = next();
    const sent = await stream();
    expect(sent.method).toBe("subscriptions/listen");
    expect(sent.params).toMatchObject({
      notifications: {
        toolsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ["file:///a", "file:///b"],
      },
    });
    acknowledge(sent, {
      toolsListChanged: true,
      promptsListChanged: true, // nobody asked
      resourceSubscriptions: ["file:///b", 1, "file:///c"],
    });
    expect(await open).toEqual({
      kind: "open",
      subscriptionId: sent.id,
      accepted: { toolsListChanged: true, resourceSubscriptions: ["file:///b"] },
    });
  });

  test("gives changes in order, each once until it is read", async () => {
    const { first, next } = await opened({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["file:///a"],
    });
    tell(first, TOOLS);
    tell(first, UPDATED, { uri: "file:///a" });
    tell(first, TOOLS);
    tell(first, UPDATED, { uri: "file:///a/part" });
    tell(first, "notifications/prompts/list_changed");
    tell(first, "notifications/resources/list_changed");
    const kinds = [
      { kind: "tools" },
      { kind: "resource", uri: "file:///a" },
      { kind: "resource", uri: "file:///a/part" },
      { kind: "prompts" },
      { kind: "resources" },
    ];
    for (const kind of kinds) expect(await next()).toEqual(kind);
    tell(first, TOOLS);
    expect(await next()).toEqual({ kind: "tools" });
  });

  test("hears nothing before it is acknowledged, of others, or unasked", async () => {
    const { next, stream } = await listen();
    const open = next();
    const sent = await stream();
    tell(sent, TOOLS);
    acknowledge({ ...sent, id: sent.id + 1 });
    acknowledge(sent);
    acknowledge(sent, {});
    expect(await open).toMatchObject({ accepted: { toolsListChanged: true } });
    sent.notify(TOOLS, {});
    sent.notify(TOOLS, { _meta: { [ID]: String(sent.id) } });
    sent.notify(TOOLS, { _meta: { [ID]: sent.id + 1 } });
    sent.notify("notifications/cancelled", { requestId: sent.id + 1 });
    tell(sent, "notifications/prompts/list_changed");
    tell(sent, UPDATED, { uri: "file:///a" });
    tell(sent, "notifications/message", { level: "info", data: "x" });
    end(sent);
    expect(await next()).toBeUndefined();
  });

  test("of a server faster than its reader says that something was missed", async () => {
    const { first, next } = await opened({ resourceSubscriptions: ["file:///"] });
    for (let index = 0; index < 1_500; index++) tell(first, UPDATED, { uri: `file:///${index}` });
    for (let index = 0; index < 1_000; index++) {
      expect(await next()).toEqual({ kind: "resource", uri: `file:///${index}` });
    }
    expect(await next()).toEqual({ kind: "missed" });
    tell(first, UPDATED, { uri: "file:///1500" });
    expect(await next()).toMatchObject({ uri: "file:///1500" });
  });

  test("that asks for nothing is a mistake", async () => {
    const { next, link } = await listen({ toolsListChanged: false, resourceSubscriptions: [] });
    await expect(next()).rejects.toMatchObject({ code: "usage" });
    expect(link.sent).toEqual([]);
  });

  test("may be one of several", async () => {
    const { client, link, first, next, stream } = await opened();
    const other = client.listen({ resourceSubscriptions: ["file:///a"] });
    const open = other.next();
    const second = await stream(1);
    acknowledge(second, { resourceSubscriptions: ["file:///a"] });
    await open;
    for (const each of link.sent) {
      // On a shared channel each hears everything.
      each.notify(TOOLS, { _meta: { [ID]: first.id } });
      each.notify(UPDATED, { _meta: { [ID]: second.id }, uri: "file:///a" });
    }
    end(first);
    end(second);
    expect([await next(), await next()]).toEqual([{ kind: "tools" }, undefined]);
    expect((await other.next()).value).toEqual({ kind: "resource", uri: "file:///a" });
    expect(await other.next()).toEqual({ done: true, value: undefined });
  });
});

describe("a subscription ends", () => {
  test("when the server says so, after what came before", async () => {
    const { first, next, clock } = await opened();
    tell(first, TOOLS);
    end(first);
    expect([await next(), await next()]).toEqual([{ kind: "tools" }, undefined]);
    expect(clock.waits).toEqual([]);
  });

  test.each<[string, (to: Waiting, clock: FakeClock) => void]>([
    ["and a result", end],
    ["and a cut", cut],
    ["and silence", (_to, clock) => clock.advance(1_000)],
  ])("when the server takes it back with a notification %s", async (_name, then) => {
    const { first, next, clock } = await opened();
    const last = next();
    first.notify("notifications/cancelled", { requestId: first.id });
    then(first, clock);
    expect(await last).toBeUndefined();
    expect(clock.waits).toEqual([]);
  });

  test("when the host aborts, whatever it waits for", async () => {
    const aborting = new AbortController();
    const { first, next } = await opened(undefined, { signal: aborting.signal });
    const last = next();
    aborting.abort();
    expect(await last).toBeUndefined();
    expect(first.cancellation.isCancelled).toBe(true);
  });

  test("when the host aborts during the pause before it is opened again", async () => {
    const aborting = new AbortController();
    const { first, next, link, clock } = await opened(undefined, { signal: aborting.signal });
    cut(first);
    expect(await next()).toMatchObject({ kind: "cut" });
    const last = next();
    await clock.set(1_000, 1_500);
    aborting.abort();
    expect(await last).toBeUndefined();
    expect(link.sent).toHaveLength(1);
    expect(clock.waits).toEqual([]);
  });

  test("before it began where the host has aborted", async () => {
    const { next, link } = await listen(undefined, { signal: AbortSignal.abort() });
    expect(await next()).toBeUndefined();
    expect(link.sent).toEqual([]);
  });

  test("when the client closes", async () => {
    const { client, next } = await opened();
    const last = next();
    await client.close();
    expect(await last).toBeUndefined();
  });

  test("when the loop is left, and the request is cancelled", async () => {
    const { first, events, clock } = await opened();
    tell(first, TOOLS);
    for await (const event of events) {
      expect(event).toEqual({ kind: "tools" });
      break;
    }
    expect(first.cancellation.isCancelled).toBe(true);
    expect(clock.waits).toEqual([]);
  });
});

describe("a subscription that was cut", () => {
  /** Goes through one cut: the pause it announced, and the stream after it. */
  async function over(listening: Listening, event: SubscriptionEvent | undefined, index: number) {
    expect(event).toMatchObject({ kind: "cut", error: { code: "transport_failed" } });
    const { after } = event as { after: number };
    const following = listening.next();
    await listening.clock.set(after, after);
    expect(listening.link.sent).toHaveLength(index);
    listening.clock.advance(after);
    return { after, following, again: await listening.stream(index) };
  }

  test("is opened again after pauses that grow, and says what it may have missed", async () => {
    const listening = await opened();
    const { first, next } = listening;
    tell(first, TOOLS);
    cut(first);
    expect(await next()).toEqual({ kind: "tools" });
    let event = await next();
    const least = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
    for (const [nth, ms] of least.entries()) {
      const { after, following, again } = await over(listening, event, nth + 1);
      expect(after).toBeGreaterThanOrEqual(ms);
      expect(after).toBeLessThanOrEqual(ms * 1.5);
      if (nth < least.length - 1) cut(again);
      else acknowledge(again);
      event = await following;
    }
    const last = listening.link.sent.at(-1);
    expect(event).toMatchObject({ kind: "open", subscriptionId: last?.id });
    expect(await next()).toEqual({ kind: "missed" });
    expect(new Set(listening.link.sent.map(({ id }) => id)).size).toBe(least.length + 1);
  });

  test.each([
    ["counts anew", 30_000, 1_000],
    ["goes on counting", 10_000, 2_000],
  ])("%s after a stream that was open for %i ms", async (_name, ms, least) => {
    const listening = await opened();
    cut(listening.first);
    const { following, again } = await over(listening, await listening.next(), 1);
    acknowledge(again);
    await following;
    await listening.next();
    listening.clock.advance(ms);
    cut(again);
    const { after } = (await listening.next()) as { after: number };
    expect(after).toBeGreaterThanOrEqual(least);
    expect(after).toBeLessThanOrEqual(least * 1.5);
  });

  test.each<[string, (to: Waiting, clock: FakeClock) => void, string]>([
    ["an error inside it", (to) => to.answer({ error: { code: -32603, message: "?" } }), "rpc"],
    ["no room for it", (to) => to.answer({ error: { code: 1004, message: "?" } }), "rpc"],
    ["a status of 503", (to) => to.answer({ status: 503 }), "transport_failed"],
    ["a status of 429", (to) => to.answer({ status: 429 }), "transport_failed"],
    ["no acknowledgement in time", (_to, clock) => clock.advance(60_000), "timeout"],
  ])("goes on trying while the server answers with %s", async (_name, answer, code) => {
    const listening = await opened();
    cut(listening.first);
    const { following, again } = await over(listening, await listening.next(), 1);
    answer(again, listening.clock);
    expect(await following).toMatchObject({ kind: "cut", error: { code } });
  });

  test.each<[string, (to: Waiting) => void, string]>([
    ["a method it lacks", (to) => to.answer({ error: { code: -32601, message: "?" } }), "rpc"],
    ["a filter it refuses", (to) => to.answer({ error: { code: -32602, message: "?" } }), "rpc"],
    ["a status of 401", (to) => to.answer({ status: 401 }), "unauthorized"],
    ["a status of 404", (to) => to.answer({ status: 404 }), "transport_failed"],
    ["an end without acknowledgement", end, "result_invalid"],
  ])("gives up where the server answers with %s", async (_name, answer, code) => {
    const listening = await opened();
    cut(listening.first);
    const { following, again } = await over(listening, await listening.next(), 1);
    answer(again);
    await expect(following).rejects.toMatchObject({ code });
    expect(await listening.next()).toBeUndefined();
  });

  test("is not opened again where the host does not want that", async () => {
    const { first, next, clock } = await opened(undefined, { reopen: false });
    cut(first);
    await expect(next()).rejects.toMatchObject({ code: "transport_failed" });
    expect(clock.waits).toEqual([]);
  });
});

describe("a subscription that never opens", () => {
  test.each<[string, (to: Waiting, clock: FakeClock) => void, string]>([
    ["cannot be reached", cut, "transport_failed"],
    ["is busy", (to) => to.answer({ status: 503 }), "transport_failed"],
    ["fails", (to) => to.answer({ error: { code: -32603, message: "?" } }), "rpc"],
    ["is silent", (_to, clock) => clock.advance(5_000), "timeout"],
    ["ends it unacknowledged", end, "result_invalid"],
    [
      "asks for input",
      (to) => to.answer({ result: { resultType: "input_required", requestState: "s" } }),
      "result_invalid",
    ],
  ])("throws where the server %s", async (_name, answer, code) => {
    const { next, stream, clock, link } = await listen(undefined, { timeout: 5_000 });
    const failed = expect(next()).rejects.toMatchObject({ code });
    answer(await stream(), clock);
    await failed;
    expect(clock.waits).toEqual([]);
    expect(link.sent).toHaveLength(1);
  });

  test("is silent for as long as it likes once it is acknowledged", async () => {
    const { first, next, clock } = await opened(undefined, { timeout: 5_000 });
    clock.advance(86_400_000);
    tell(first, TOOLS);
    expect(await next()).toEqual({ kind: "tools" });
  });
});

describe("what is kept of the server's answers", () => {
  const hints = { ttlMs: 3_600_000, cacheScope: "private" };

  /** Asks for everything that is kept, and gives the methods that had to be asked for again. */
  async function asked({ client, link }: Listening): Promise<string[]> {
    const before = link.sent.length;
    const all = Promise.all([
      client.listTools().all(),
      client.listPrompts().all(),
      client.listResources().all(),
      client.listResourceTemplates().all(),
      client.readResource({ uri: "file:///a" }),
      client.readResource({ uri: "file:///a/b" }),
      client.readResource({ uri: "file:///c" }),
    ]);
    await setImmediate();
    const sent = link.sent.slice(before);
    const members = { tools: [], prompts: [], resources: [], resourceTemplates: [], contents: [] };
    for (const each of sent)
      each.answer({ result: { resultType: "complete", ...members, ...hints } });
    await all;
    return sent.map(
      ({ method, params }) =>
        `${method} ${typeof params["uri"] === "string" ? params["uri"] : "all"}`,
    );
  }

  const filter = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ["file:///a"],
  };

  test("is forgotten when the server tells of a change, before anybody reads it", async () => {
    const listening = await opened(filter);
    const { first } = listening;
    expect(await asked(listening)).toHaveLength(7);
    expect(await asked(listening)).toEqual([]);
    tell(first, TOOLS);
    expect(await asked(listening)).toEqual(["tools/list all"]);
    tell(first, "notifications/prompts/list_changed");
    expect(await asked(listening)).toEqual(["prompts/list all"]);
    tell(first, "notifications/resources/list_changed");
    expect(await asked(listening)).toEqual(["resources/list all", "resources/templates/list all"]);
    tell(first, UPDATED, { uri: "file:///a/b" }); // a part of what is watched
    expect(await asked(listening)).toEqual([
      "resources/read file:///a",
      "resources/read file:///a/b",
    ]);
    expect(await asked(listening)).toEqual([]);
  });

  test("is forgotten as far as changes of it may have been missed", async () => {
    const listening = await opened({
      toolsListChanged: true,
      resourceSubscriptions: ["file:///a"],
    });
    await asked(listening);
    cut(listening.first);
    const { after } = (await listening.next()) as { after: number };
    const open = listening.next();
    await listening.clock.set(after, after);
    const before = listening.link.sent.length;
    listening.clock.advance(after);
    acknowledge(await listening.stream(before));
    expect(await open).toMatchObject({ kind: "open" });
    expect(await listening.next()).toEqual({ kind: "missed" });
    expect(await asked(listening)).toEqual([
      "tools/list all",
      "resources/read file:///a",
      "resources/read file:///a/b",
    ]);
  });
});
