import { once } from "node:events";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import { openClient } from "../../src/client/open.js";
import type { SubscriptionEvent } from "../../src/client/subscription-events.js";
import { connect } from "../../src/entry/client-node.js";
import { connectStdio } from "../../src/entry/client-stdio.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import { createMcpServer, text } from "../../src/entry/index.js";
import { toNodeHandler } from "../../src/entry/node.js";
import { fetchLink } from "../../src/transport/client/http-fetch.js";
import { nodeHttpLink } from "../../src/transport/client/http-node.js";
import { stdioLink } from "../../src/transport/client/stdio.js";
import { FakeClock } from "./fake-clock.js";
import { connectUndici, undiciLink } from "../support/undici.js";

/** Subscriptions over real transports, to real servers. */

type Events = AsyncGenerator<SubscriptionEvent, void, undefined>;

const next = async (events: Events): Promise<SubscriptionEvent | "the end"> => {
  const { value, done } = await events.next();
  return done === true ? "the end" : value;
};

const news = () =>
  createMcpServer({ name: "news", version: "1" }, { log: false })
    .tool("t", {}, () => text("x"))
    .resource("plan", "plan://1", {}, () => "x");

async function hosted() {
  const server = news();
  const http: Server = createServer(toNodeHandler(server));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    server.close();
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return { server, http, url: `http://127.0.0.1:${port}/mcp` };
}

describe.each([
  ["node", connect, nodeHttpLink],
  ["undici", connectUndici, undiciLink],
  ["fetch", connectFetch, fetchLink],
])("over HTTP with %s", (_name, open, link) => {
  test("changes come as they happen, until the server closes", async () => {
    const { server, url } = await hosted();
    const client = await open(url);
    const events = client.listen({
      toolsListChanged: true,
      resourceSubscriptions: ["plan://1", "plan://none"],
    });
    expect(await next(events)).toMatchObject({
      kind: "open",
      accepted: { toolsListChanged: true, resourceSubscriptions: ["plan://1"] },
    });
    server.listChanged("tools");
    expect(await next(events)).toEqual({ kind: "tools" });
    server.listChanged("resources"); // nobody asked
    server.resourceUpdated("plan://1");
    expect(await next(events)).toEqual({ kind: "resource", uri: "plan://1" });
    expect((await client.callTool({ name: "t" })).content).toHaveLength(1); // meanwhile
    server.listChanged("tools");
    server.close();
    expect([await next(events), await next(events)]).toEqual([{ kind: "tools" }, "the end"]);
    await client.close();
  });

  test("a cut is told, and it is opened again", async () => {
    const { server, http, url } = await hosted();
    const clock = new FakeClock();
    const client = await openClient(link({ url, responseSize: 1e6 }), {}, clock);
    const events = client.listen({ toolsListChanged: true });
    expect(await next(events)).toMatchObject({ kind: "open" });
    http.closeAllConnections();
    const cut = await next(events);
    expect(cut).toMatchObject({ kind: "cut", error: { code: "transport_failed" } });
    const again = next(events);
    clock.advance(await clock.set(1_000, 1_500));
    expect(await again).toMatchObject({ kind: "open" });
    expect(await next(events)).toEqual({ kind: "missed" });
    server.listChanged("tools");
    expect(await next(events)).toEqual({ kind: "tools" });
    await client.close();
    expect(await next(events)).toBe("the end");
  });

  test("leaving the loop hangs up", async () => {
    const { http, url } = await hosted();
    const client = await open(url);
    const gone: Promise<unknown>[] = [];
    http.on("request", (_request, response) => gone.push(once(response, "close")));
    for await (const event of client.listen({ toolsListChanged: true })) {
      expect(event.kind).toBe("open");
      break;
    }
    await Promise.all(gone); // that of the subscription among them
    await client.close();
  });
});

describe("over stdio", () => {
  const command = {
    command: process.execPath,
    args: [path.join(import.meta.dirname, "fixtures/stdio-server.mjs")],
  };

  async function pair(client: Client): Promise<[Events, Events]> {
    const lists = client.listen({ toolsListChanged: true });
    const watched = client.listen({ resourceSubscriptions: ["file:///a"] });
    await Promise.all([next(lists), next(watched)]);
    return [lists, watched];
  }

  test("each subscription of the one channel hears its own", async () => {
    const received: Record<string, unknown>[] = [];
    const stderr = (said: string): void => {
      for (const line of said.split("\n").filter(Boolean)) {
        received.push(JSON.parse(line) as Record<string, unknown>);
      }
    };
    const client = await connectStdio({ ...command, stderr });
    const [lists, watched] = await pair(client);
    await client.callTool({ name: "touch" });
    expect(await next(lists)).toEqual({ kind: "tools" });
    expect(await next(watched)).toEqual({ kind: "resource", uri: "file:///a" });
    await lists.return();
    const cancelled = () => received.filter(({ method }) => method === "notifications/cancelled");
    while (cancelled().length === 0) await setImmediate();
    const asked = received.filter(({ method }) => method === "subscriptions/listen");
    expect(cancelled()).toMatchObject([{ params: { requestId: asked[0]?.["id"] } }]);
    await client.callTool({ name: "end" });
    expect(await next(watched)).toBe("the end");
    await client.close();
    expect(cancelled()).toHaveLength(1); // what the server has ended is not cancelled
  });

  test("they are opened again by a process that is started anew", async () => {
    const clock = new FakeClock();
    const link = stdioLink({ ...command, stderr: "ignore" }, 1e6);
    const client = await openClient(link, {}, clock);
    const [lists, watched] = await pair(client);
    await client.callTool({ name: "exit" }).catch(() => undefined);
    for (const events of [lists, watched]) {
      expect(await next(events)).toMatchObject({ kind: "cut" });
      const again = next(events);
      clock.advance(await clock.set(1_000, 1_500));
      expect(await again).toMatchObject({ kind: "open" });
      expect(await next(events)).toEqual({ kind: "missed" });
    }
    await client.callTool({ name: "touch" });
    expect(await next(lists)).toEqual({ kind: "tools" });
    expect(await next(watched)).toMatchObject({ kind: "resource" });
    await client.close();
    expect(await next(lists)).toBe("the end");
  });
});
