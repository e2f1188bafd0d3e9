import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Canceller } from "../../src/client/cancel.js";
import type { Outgoing } from "../../src/client/link.js";
import { connect } from "../../src/entry/client-node.js";
import { createMcpServer, text } from "../../src/entry/index.js";
import { toNodeHandler } from "../../src/entry/node.js";
import { nodeHttpLink } from "../../src/transport/client/http-node.js";
import { MOST_CONNECTIONS } from "../../src/transport/client/pool.js";
import { json, scripted } from "./scripted.js";

/** The connections clients of one origin have on Node. */

interface Host {
  readonly url: string;
  readonly open: Set<Socket>;
  /** How many connections there have been. */
  readonly opened: () => number;
}

async function host(http: Server): Promise<Host> {
  const open = new Set<Socket>();
  let opened = 0;
  http.on("connection", (socket) => {
    opened += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, open, opened: () => opened };
}

function parley(): Promise<Host> {
  const server = createMcpServer({ name: "s", version: "1" }, { log: false })
    .tool("t", {}, () => text("done"))
    .tool("u", {}, () => text("done"));
  onTestFinished(() => server.close());
  return host(createServer(toNodeHandler(server)));
}

let lastId = 0;
function outgoing(cancellation = new Canceller(), method = "tools/call"): Outgoing {
  lastId += 1;
  const text = JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params: {} });
  return { id: lastId, method, params: {}, text, cancellation, onNotification: undefined };
}

test("clients of one origin share their connections, whatever the endpoint", async () => {
  const { url, opened } = await parley();
  const clients = [];
  for (const endpoint of ["/mcp", "/mcp", "/mcp?tenant=b"]) {
    const client = await connect(url + endpoint);
    clients.push(client);
    for (let call = 0; call < 3; call++) {
      await client.callTool({ name: "t" });
      await setImmediate();
    }
  }
  expect(opened()).toBeLessThanOrEqual(2);
  await Promise.all(clients.map((client) => client.close()));
});

test("a client that closes leaves the connections to the others", async () => {
  const { url, open, opened } = await parley();
  const [one, other] = [await connect(url), await connect(url)];
  await one.close();
  await one.close();
  await other.callTool({ name: "t" });
  expect(open.size).toBeGreaterThan(0);
  const before = opened();
  await other.callTool({ name: "t" });
  expect(opened()).toBe(before);
  await other.close();
  while (open.size > 0) await setImmediate(); // idle ones close with the last client
});

test("a client that closes ends its own requests and nobody else's", async () => {
  const waiting: (() => void)[] = [];
  const server = await scripted(({ id }) => ({
    raw: (to) => {
      waiting.push(() => json(to, 200, { jsonrpc: "2.0", id, result: { content: [] } }));
    },
  }));
  const [one, other] = [await connect(server.url), await connect(server.url)];
  const ended = expect(one.callTool({ name: "t" })).rejects.toMatchObject({ code: "aborted" });
  const going = other.callTool({ name: "t" });
  while (waiting.length < 2) await setImmediate();
  await one.close();
  await ended;
  for (const answer of waiting) answer();
  expect(await going).toEqual({ content: [] });
  await other.close();
});

test("there are no more of them than the limit; further requests wait their turn", async () => {
  const answers: (() => void)[] = [];
  const { url, open, opened } = await host(
    createServer((request, response) => {
      request.resume();
      answers.push(() => response.writeHead(503).end());
    }),
  );
  const link = nodeHttpLink({ url, responseSize: 1e6 });
  const more = 20;
  const all = Array.from({ length: MOST_CONNECTIONS + more }, () => link.send(outgoing()));
  const cancelling = new Canceller();
  const cancelled = link.send(outgoing(cancelling)).catch((error: unknown) => error);
  while (answers.length < MOST_CONNECTIONS) await setImmediate();
  cancelling.cancel("no longer"); // one that has no connection yet can be given up, too
  expect(await cancelled).toBe("no longer");
  // A subscription has a connection of its own, and holds up nothing.
  const subscription = link.send(outgoing(undefined, "subscriptions/listen"));
  while (open.size <= MOST_CONNECTIONS) await setImmediate();
  let answered = 0;
  while (answered < MOST_CONNECTIONS + more + 1) {
    await setImmediate();
    for (const answer of answers.splice(0)) {
      answer();
      answered += 1;
    }
  }
  await Promise.all([...all, subscription]);
  expect(opened()).toBe(MOST_CONNECTIONS + 1);
  await link.close();
});

test("idle ones do not keep a process alive", async () => {
  const { url, open } = await parley();
  const entry = path.resolve(import.meta.dirname, "../../dist/entry/client-node.js");
  const script = `
    const { connect } = await import(${JSON.stringify(entry)});
    const client = await connect(${JSON.stringify(url)});
    await Promise.all([client.callTool({ name: "t" }), client.callTool({ name: "u" })]);
    for await (const event of client.listen({ toolsListChanged: true })) break;
    const done = performance.now();
    process.on("exit", () => console.log(performance.now() - done));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  let connections = -1;
  let waited = NaN;
  child.stdout.on("data", (said: Buffer) => {
    connections = open.size;
    waited = Number(said);
  });
  const [code] = (await once(child, "close")) as [number];
  expect(code).toBe(0);
  expect(connections).toBeGreaterThan(0);
  expect(waited).toBeLessThan(3_000); // they would be closed after 4 s
});
