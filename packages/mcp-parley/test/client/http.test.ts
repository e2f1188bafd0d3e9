import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as setImmediateCallback } from "node:timers";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { Canceller } from "../../src/client/cancel.js";
import type { Client } from "../../src/client/client.js";
import { openClient } from "../../src/client/open.js";
import { connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import { nodeHttpLink } from "../../src/transport/client/http-node.js";
import { FakeClock } from "./fake-clock.js";
import { DISCOVERY, type Reply, json, scripted, stream, text } from "./scripted.js";
import { connectUndici } from "../support/undici.js";

const done = (id: unknown, said = "done") => ({
  jsonrpc: "2.0",
  id,
  result: { resultType: "complete", content: [{ type: "text", text: said }] },
});

describe.each([
  ["node", connect],
  ["undici", connectUndici],
  ["fetch", connectFetch],
])("over %s", (_transport, open) => {
  /** Plays one call against a server that answers it so. */
  async function play(reply: (id: unknown) => Reply, options: Parameters<typeof open>[1] = {}) {
    const server = await scripted(({ id }) => reply(id));
    const client = await open(server.url, options);
    const outcome = await client.callTool({ name: "t" }).catch((error: unknown) => error);
    await client.close();
    return { outcome, requests: server.requests };
  }

  test("a stream gives its response, whatever comes before", async () => {
    const { outcome } = await play((id) => ({
      raw: (to) => {
        to.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
        to.write(": a comment\n\nid: 1\ndata:\n\nretry: 10\n\n");
        to.write('event: other\ndata: {"not":"a message"}\n\n');
        to.write('event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\r\n\r\n');
        // A message over two data lines, in pieces that end in the middle of a character.
        const bytes = Buffer.from(
          `data: {"jsonrpc":"2.0","id":${String(id)},\ndata: "result":${JSON.stringify(done(id, "naïve 🧭").result)}}\n\n`,
        );
        for (const byte of bytes) to.write(Buffer.of(byte));
        to.end();
      },
    }));
    expect(outcome).toMatchObject({ content: [{ text: "naïve 🧭" }] });
  });

  test("text that was cut in the middle of a character comes as it is", async () => {
    const { outcome } = await play((id) => ({
      raw: (to) => json(to, 200, done(id, "cut \ud83d")),
    }));
    expect(outcome).toMatchObject({ content: [{ text: "cut \ud83d" }] });
  });

  test("a request of the server's on the stream is not served", async () => {
    const { outcome, requests } = await play((id) => ({
      raw: (to) =>
        stream(to, [
          { jsonrpc: "2.0", id: 1, method: "elicitation/create", params: { message: "?" } },
          { jsonrpc: "2.0", id, method: "roots/list" },
          done(id),
        ]),
    }));
    expect(outcome).toMatchObject({ content: [{ text: "done" }] });
    expect(requests).toHaveLength(1); // and no response was posted
  });

  test.each<[string, (id: unknown) => Reply, string]>([
    [
      "a stream that ends without a response",
      () => ({ raw: (to) => stream(to, []) }),
      "transport_failed",
    ],
    [
      "a stream that is cut off",
      () => ({
        raw: (to) => {
          stream(to, [{ jsonrpc: "2.0", method: "notifications/x" }], false);
          setImmediateCallback(() => to.destroy());
        },
      }),
      "transport_failed",
    ],
    ["a connection that is cut off", () => ({ raw: (to) => to.destroy() }), "transport_failed"],
    [
      "a body that is cut off",
      () => ({
        raw: (to) => {
          to.writeHead(200, { "content-type": "application/json", "content-length": "100" });
          to.write('{"jsonrpc"');
          setImmediateCallback(() => to.destroy());
        },
      }),
      "transport_failed",
    ],
    [
      "a page of HTML",
      () => ({ raw: (to) => to.writeHead(200, { "content-type": "text/html" }).end("<html>") }),
      "transport_failed",
    ],
    ["202 and nothing", () => ({ raw: (to) => to.writeHead(202).end() }), "transport_failed"],
    ["204", () => ({ raw: (to) => to.writeHead(204).end() }), "transport_failed"],
    ["404 and a page", () => ({ raw: (to) => to.writeHead(404).end("no") }), "transport_failed"],
    ["401", () => ({ raw: (to) => json(to, 401, { error: "invalid_token" }) }), "unauthorized"],
    [
      "401 that looks like JSON-RPC",
      (id) => ({
        raw: (to) => json(to, 401, { jsonrpc: "2.0", id, error: { code: -32001, message: "no" } }),
      }),
      "unauthorized",
    ],
    [
      "JSON that is not UTF-8",
      (id) => ({
        raw: (to) =>
          to
            .writeHead(200, { "content-type": "application/json" })
            .end(Buffer.from(JSON.stringify(done(id, "\u00ff")), "latin1")),
      }),
      "result_invalid",
    ],
    [
      "a stream that is not UTF-8",
      (id) => ({
        raw: (to) =>
          to
            .writeHead(200, { "content-type": "text/event-stream" })
            .end(Buffer.from(`data: ${JSON.stringify(done(id, "\u00ff"))}\n\n`, "latin1")),
      }),
      "result_invalid",
    ],
    [
      "a stream with something else than a message",
      () => ({
        raw: (to) =>
          to.writeHead(200, { "content-type": "text/event-stream" }).end("data: hello\n\n"),
      }),
      "result_invalid",
    ],
  ])("%s ends the call, and nothing is sent again", async (_name, reply, code) => {
    const { outcome, requests } = await play(reply);
    expect(outcome).toMatchObject({ code });
    expect(requests).toHaveLength(1);
  });

  test.each<[string, (id: unknown) => Reply]>([
    ["a body", (id) => ({ raw: (to) => json(to, 200, done(id, "x".repeat(20_000))) })],
    ["an event", (id) => ({ raw: (to) => stream(to, [done(id, "x".repeat(200_000))]) })],
    [
      "an endless line",
      () => ({
        raw: (to) => {
          to.writeHead(200, { "content-type": "text/event-stream" });
          const more = (): void => {
            if (!to.destroyed)
              to.write("data: " + "x".repeat(4_000), () => setImmediateCallback(more));
          };
          more();
        },
      }),
    ],
  ])("%s larger than the limit is not read to its end", async (_name, reply) => {
    const { outcome, requests } = await play(reply, { limits: { responseSize: 10_000 } });
    expect(outcome).toMatchObject({
      code: "transport_failed",
      message: expect.stringContaining("responseSize") as string,
    });
    await requests[0]?.gone;
  });

  describe.each<[string, (to: ServerResponse) => void]>([
    ["is hung up on", (to) => to.destroy()],
    ["is reset", (to) => to.socket?.resetAndDestroy()],
    [
      "is cut off within its answer",
      (to) => {
        to.writeHead(200, { "content-type": "application/json", "content-length": "100" });
        to.write('{"jsonrpc"');
        setImmediateCallback(() => to.destroy());
      },
    ],
  ])("a request that %s", (_how, hangUp) => {
    const tools = { result: { resultType: "complete", tools: [{ name: "t", inputSchema: {} }] } };

    test("is sent once more where it is a list, under another id", async () => {
      const server = await scripted((_request, index) => (index === 0 ? { raw: hangUp } : tools));
      const client = await open(server.url);
      expect(await client.listTools().all()).toMatchObject([{ name: "t" }]);
      await client.close();
      expect(server.requests).toHaveLength(2);
      expect(new Set(server.all.map(({ id }) => id)).size).toBe(3);
    });

    test("is sent once more where it is the first of all", async () => {
      const server = await scripted(
        () => tools,
        (_request, index) => (index === 0 ? { raw: hangUp } : { result: DISCOVERY }),
      );
      await (await open(server.url)).close();
      expect(server.all).toHaveLength(2);
    });

    test("is not sent a third time", async () => {
      const server = await scripted(() => ({ raw: hangUp }));
      const client = await open(server.url);
      await expect(client.listTools().all()).rejects.toMatchObject({ code: "transport_failed" });
      await client.close();
      expect(server.requests).toHaveLength(2);
    });

    test.each<[string, (client: Client) => Promise<unknown>]>([
      ["a tool's", (client) => client.callTool({ name: "t" })],
      ["a prompt's", (client) => client.getPrompt({ name: "p" })],
      ["a resource's", (client) => client.readResource({ uri: "x:y" })],
    ])("is not sent again where it is %s", async (_whose, ask) => {
      const server = await scripted(() => ({ raw: hangUp }));
      const client = await open(server.url);
      await expect(ask(client)).rejects.toMatchObject({ code: "transport_failed" });
      await client.close();
      expect(server.requests).toHaveLength(1);
    });
  });

  test.each([301, 302, 303, 307, 308])(
    "a redirect (%i) is not followed: credentials stay",
    async (status) => {
      const elsewhere = await scripted(() => text("never"));
      const { outcome } = await play(
        () => ({ raw: (to) => to.writeHead(status, { location: elsewhere.url }).end() }),
        { headers: { authorization: "Bearer secret" } },
      );
      expect(outcome).toMatchObject({ code: "transport_failed" });
      expect((outcome as Error).message).not.toContain("secret");
      expect((outcome as Error).message).toContain(elsewhere.url);
      expect(elsewhere.all).toEqual([]);
    },
  );

  test("the host's headers go with every request, fixed or anew", async () => {
    const server = await scripted(() => text("done"));
    let token = 0;
    const client = await open(server.url, {
      headers: async () => ({ Authorization: `Bearer ${++token}` }),
    });
    await client.callTool({ name: "t" });
    await client.close();
    expect(server.all.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer 1",
      "Bearer 2",
    ]);
  });

  test("the client's own headers are not the host's to set", async () => {
    for (const name of ["Mcp-Method", "MCP-Protocol-Version", "mcp-param-x", "Accept", "Host"]) {
      await expect(open("http://127.0.0.1:1/", { headers: { [name]: "x" } })).rejects.toMatchObject(
        {
          code: "usage",
        },
      );
    }
  });

  test("a header value that no header may have is the host's mistake, not a crash", async () => {
    const server = await scripted(() => text("done"));
    const error: unknown = await open(server.url, { headers: { "x-a": "a\r\nb: c" } }).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({
      code: "usage",
      message: expect.not.stringContaining("b: c") as string,
    });
    expect(server.all).toEqual([]);
  });
});

describe("connections on Node", () => {
  test("are used again, whether answers come as JSON or as streams", async () => {
    const server = await scripted(({ id }, index) =>
      index % 2 === 0 ? text("done") : { raw: (to) => stream(to, [done(id)]) },
    );
    const ports = new Set<unknown>();
    const client = await connect(server.url);
    for (let call = 0; call < 6; call++) {
      await client.callTool({ name: "t" });
      await setImmediate();
    }
    await client.close();
    for (const { port } of server.all) ports.add(port);
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test("that stay open behind the response are closed after a second", async () => {
    const clock = new FakeClock();
    const server = await scripted(({ id }) => ({ raw: (to) => stream(to, [done(id)], false) }));
    const client = await openClient(
      nodeHttpLink({ url: server.url, responseSize: 1e6 }, clock),
      {},
      clock,
    );
    await client.callTool({ name: "t" });
    clock.advance(await clock.set(1_000, 1_000));
    await server.requests[0]?.gone;
    await client.close();
  });

  test("do not outlive the client", async () => {
    const server = createServer((_request, response) => json(response, 200, {}));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    let open = 0;
    server.on("connection", (socket) => {
      open += 1;
      socket.on("close", () => (open -= 1));
    });
    const link = nodeHttpLink({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      responseSize: 1e6,
    });
    const cancellation = new Canceller();
    const text = `{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`;
    const asked = { id: 1, method: "x", params: {}, text };
    const request = { ...asked, cancellation, onNotification: undefined };
    await link.send(request).catch(() => undefined);
    expect(open).toBe(1);
    await link.close();
    while (open > 0) await setImmediate();
    await expect(link.send(request)).rejects.toMatchObject({ code: "transport_failed" });
  });
});
