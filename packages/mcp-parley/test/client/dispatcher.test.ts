import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect as connectTcp } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Agent, ProxyAgent } from "undici";
import { connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import { scripted, text } from "./scripted.js";

/** Connections that the host gives; what all transports do, other tests try over each. */

test("a client goes through the host's proxy, and nowhere else", async () => {
  const tunnels: string[] = [];
  const proxy = createServer().on("connect", ({ url = "" }, socket) => {
    tunnels.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const through = connectTcp(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      through.pipe(socket).pipe(through);
    });
    socket.on("error", () => through.destroy());
    through.on("error", () => socket.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const dispatcher = new ProxyAgent(`http://127.0.0.1:${String(port)}`);

  const server = await scripted(() => text("done"));
  const client = await connect(server.url, { dispatcher });
  await client.callTool({ name: "t" });
  expect(new Set(tunnels)).toEqual(new Set([new URL(server.url).host]));
  await client.close();
  await dispatcher.close();
});

test("the host's connections stay open for its other clients, and a closed client's calls end", async () => {
  const dispatcher = new Agent();
  const server = await scripted(({ params }) =>
    params.name === "slow" ? { raw: () => undefined } : text("done"),
  );
  const one = await connect(server.url, { dispatcher });
  const two = await connect(server.url, { dispatcher });
  const failed = expect(one.callTool({ name: "slow" })).rejects.toMatchObject({ code: "aborted" });
  while (server.requests.length === 0) await setImmediate();
  await one.close();
  await failed;
  await server.requests[0]?.gone;
  await expect(two.callTool({ name: "quick" })).resolves.toBeDefined();
  await two.close();
  await dispatcher.close();
});

test("a dispatcher that is none, or is closed, is told so", async () => {
  const old = {
    dispatch(): never {
      throw new Error("invalid onError method");
    },
  };
  const failure: unknown = expect.objectContaining({ code: "usage" });
  await expect(connect("http://127.0.0.1:1", { dispatcher: old })).rejects.toEqual(failure);
  const closed = new Agent();
  await closed.close();
  const server = await scripted(() => text("done"));
  await expect(connect(server.url, { dispatcher: closed })).rejects.toMatchObject({
    code: "transport_failed",
  });
});

test("where fetch has the connections, a dispatcher is refused", async () => {
  const dispatcher = new Agent();
  await expect(connectFetch("http://127.0.0.1:1", { dispatcher })).rejects.toMatchObject({
    code: "usage",
  });
});
