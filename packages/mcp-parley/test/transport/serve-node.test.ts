import { once } from "node:events";
import http from "node:http";
import { text as textOf } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import {
  type ServeOptions,
  type Serving,
  serve,
  serveNode,
} from "../../src/transport/serve-node.js";
import { headersOf } from "./doors.js";
import { CALL, type Handler, HandTimers, deferred, ok, serverOf } from "./fixtures.js";

const running: Serving[] = [];
afterEach(async () => {
  for (const serving of running.splice(0)) await serving.close();
});

async function start(handler?: Handler, options: Partial<ServeOptions> = {}, timers?: HandTimers) {
  const all = { port: 0, ...options };
  const serving = await (timers === undefined
    ? serve(serverOf(handler), all)
    : serveNode(serverOf(handler), all, timers));
  running.push(serving);
  return serving;
}

const call = (url: string) =>
  fetch(url, { method: "POST", headers: headersOf(CALL), body: JSON.stringify(CALL) });

/** The same over a connection that is kept. */
async function post(url: string, agent: http.Agent): Promise<string> {
  const request = http.request(url, { method: "POST", agent, headers: headersOf(CALL) });
  request.end(JSON.stringify(CALL));
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  return textOf(response);
}

test("serves at the address it gives, on a free port, on this machine alone", async () => {
  const serving = await start();
  expect(serving.url).toBe(`http://127.0.0.1:${serving.port}/mcp`);
  expect(await (await call(serving.url)).text()).toBe(ok(1).text);
  expect(await (await call(`${serving.url}?a=b`)).text()).toBe(ok(1).text);
});

test.each(["/", "/mcp/", "/mcp2", "/MCP", "/a/mcp", "//mcp"])(
  "%s is no endpoint: 404",
  async (path) => {
    const { port } = await start();
    const answer = await call(`http://127.0.0.1:${port}${path}`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe("");
  },
);

test("serves at the path it is told", async () => {
  const { url, port } = await start(undefined, { path: "/a/b" });
  expect(url).toBe(`http://127.0.0.1:${port}/a/b`);
  expect((await call(url)).status).toBe(200);
});

test.each([
  ["0.0.0.0", /^http:\/\/127\.0\.0\.1:/],
  ["localhost", /^http:\/\/(127\.0\.0\.1|\[::1\]):/],
])("on %s it is reached at an address of this machine", async (host, expected) => {
  const { url } = await start(undefined, { host });
  expect(url).toMatch(expected);
  expect((await call(url)).status).toBe(200);
});

test("hands its settings on", async () => {
  const { url } = await start(undefined, { maxBodyBytes: 10 });
  expect((await call(url)).status).toBe(413);
});

test("rejects where the port is taken", async () => {
  const { port } = await start();
  await expect(start(undefined, { port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test.each([
  { path: "mcp" },
  { path: "/mcp?x" },
  { graceMs: 0 },
  { requestTimeoutMs: -1 },
  { allowedHosts: [""] },
])("%j is refused as a setting", async (options) => {
  await expect(start(undefined, options)).rejects.toMatchObject({ code: "usage" });
});

describe("closing", () => {
  /** Lets the closing server look for idle connections until it has found the last one. */
  async function sweepUntil(closed: Promise<void>, timers: HandTimers): Promise<void> {
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    // The loop ends with the variable, which only the promise changes.
    while (!(isClosed as boolean)) {
      timers.ring(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  // Less than the five seconds after which Node itself closes a connection nobody uses.
  test("lets a request under way finish, and takes no other", { timeout: 4_500 }, async () => {
    const timers = new HandTimers();
    const begun = deferred();
    const go = deferred();
    const serving = await start(
      async (id) => {
        begun.resolve();
        await go.promise;
        return ok(id);
      },
      {},
      timers,
    );
    const agent = new http.Agent({ keepAlive: true });
    const answer = post(serving.url, agent);
    await begun.promise;
    const closed = serving.close();
    expect(serving.close()).toBe(closed);
    await expect(call(serving.url)).rejects.toThrow();
    go.resolve();
    expect(await answer).toBe(ok(1).text);
    await sweepUntil(closed, timers);
    expect(timers.size).toBe(0);
    agent.destroy();
  });

  test("ends what would not end by itself, once", async () => {
    let drained = 0;
    const serving = await serve({ ...serverOf(), drain: () => drained++ }, { port: 0 });
    await serving.close();
    await serving.close();
    expect(drained).toBe(1);
  });

  test("does not wait for connections that only stay open", async () => {
    const timers = new HandTimers();
    const serving = await start(undefined, {}, timers);
    const agent = new http.Agent({ keepAlive: true });
    expect(await post(serving.url, agent)).toBe(ok(1).text);
    await sweepUntil(serving.close(), timers);
    agent.destroy();
  });

  test("cuts off what has not finished in time, which aborts it", async () => {
    const timers = new HandTimers();
    const begun = deferred<AbortSignal>();
    const serving = await start(
      async (id, { signal }) => {
        begun.resolve(signal);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return ok(id);
      },
      { graceMs: 70 },
      timers,
    );
    const answer = expect(call(serving.url)).rejects.toThrow();
    const signal = await begun.promise;
    const closed = serving.close();
    expect(signal.aborted).toBe(false);
    timers.ring(70);
    await closed;
    await answer;
    expect(signal.aborted).toBe(true);
  });
});
