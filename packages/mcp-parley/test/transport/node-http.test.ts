import http from "node:http";
import http2 from "node:http2";
import net, { type AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { type NodeHandlerOptions, toNodeHandler } from "../../src/transport/node-http.js";
import { headersOf } from "./doors.js";
import { CALL, type Handler, deferred, memoryLogger, ok, request, serverOf } from "./fixtures.js";

const servers: (http.Server | http2.Http2Server)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: http.Server | http2.Http2Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

let ran = 0;
const counted: Handler = (id) => {
  ran++;
  return ok(id);
};

async function open(handler: Handler = counted, options: NodeHandlerOptions = {}): Promise<number> {
  ran = 0;
  return listen(http.createServer(toNodeHandler(serverOf(handler), options)));
}

const BODY = JSON.stringify(CALL);

/** A request head as text: the usual fields, some changed or left out, then `extra` as it is. */
function head(
  changed: Record<string, string | undefined> = {},
  extra: readonly string[] = [],
): string {
  const fields: Record<string, string | undefined> = {
    host: "127.0.0.1",
    ...headersOf(CALL),
    "content-length": String(BODY.length),
    ...changed,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return ["POST /mcp HTTP/1.1", ...lines, ...extra, "", ""].join("\r\n");
}

/** Everything the server says to `sent` until it closes the connection. */
async function talk(port: number, ...sent: string[]): Promise<string> {
  const socket = net.connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  for (const piece of sent) socket.write(piece, "latin1");
  return textOf(socket);
}

const CLOSE = { connection: "close" };

describe("on a raw connection", () => {
  test("a well-formed request is answered in one piece, with its length", async () => {
    const answer = await talk(await open(), head(CLOSE), BODY);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain(`content-length: ${ok(1).text.length}\r\n`);
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer.endsWith(`\r\n\r\n${ok(1).text}`)).toBe(true);
  });

  test("a body in many pieces is one body", async () => {
    const port = await open();
    const socket = net.connect(port, "127.0.0.1");
    const answer = textOf(socket);
    socket.write(head(CLOSE));
    for (const byte of BODY) {
      socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 200/);
  });

  test.each([
    ["whitespace after the value", { "mcp-name": "echo \t " }],
    ["whitespace before it", { "mcp-name": " \t echo" }],
  ])("%s is no part of a header", async (_, changed) => {
    expect(await talk(await open(), head({ ...CLOSE, ...changed }), BODY)).toMatch(
      /^HTTP\/1\.1 200/,
    );
  });

  test.each([
    ["in upper case", "MCP-NAME"],
    ["in lower case", "mcp-name"],
  ])("a field name %s is the same name", async (_, name) => {
    const sent = head({ ...CLOSE, "mcp-name": undefined }, [`${name}: echo`]);
    expect(await talk(await open(), sent, BODY)).toMatch(/^HTTP\/1\.1 200/);
  });

  test.each([
    ["a length that is no number", head({ ...CLOSE, "content-length": "many" })],
    ["a negative length", head({ ...CLOSE, "content-length": "-1" })],
    ["two lengths", head(CLOSE, [`content-length: 1`])],
    ["a length and chunks", head(CLOSE, ["transfer-encoding: chunked"])],
    [
      "a transfer coding nobody knows",
      head({ ...CLOSE, "content-length": undefined }, ["transfer-encoding: x"]),
    ],
    ["a folded header", head(CLOSE, ["x-a: b", " content-length: 1"])],
    ["space before the colon", head(CLOSE, ["content-length : 1"])],
    ["a bare carriage return in a value", head(CLOSE, ["x-a: b\rc"])],
    ["a NUL in a value", head({ ...CLOSE, "mcp-name": "ec\0ho" })],
    ["two hosts", head(CLOSE, ["Host: evil.example"])],
    ["two content types", head(CLOSE, ["content-type: text/plain"])],
    ["two credentials", head({ ...CLOSE, authorization: "Bearer a" }, ["Authorization: Bearer b"])],
    ["two names", head({ ...CLOSE, "mcp-name": "ec" }, ["Mcp-Name: ho"])],
    ["no host", head({ ...CLOSE, host: undefined })],
  ])("%s is 400, and nothing runs", async (_, sent) => {
    expect(await talk(await open(), sent, BODY)).toMatch(/^HTTP\/1\.1 400/);
    expect(ran).toBe(0);
  });

  test("two names that would be one once joined are not", async () => {
    const message = JSON.stringify(request(1, "tools/call", { name: "a, b" }));
    const sent = head({ ...CLOSE, "content-length": String(message.length), "mcp-name": "a" }, [
      "Mcp-Name: b",
    ]);
    expect(await talk(await open(), sent, message)).toMatch(/^HTTP\/1\.1 400/);
    expect(ran).toBe(0);
  });

  test("two origins are none that is allowed", async () => {
    const sent = head({ ...CLOSE, origin: "https://a.example" }, ["origin: https://a.example"]);
    const port = await open(counted, { allowedOrigins: ["https://a.example"] });
    expect(await talk(port, sent, BODY)).toMatch(/^HTTP\/1\.1 403/);
    expect(ran).toBe(0);
  });

  test("a chunk of no size is 400, and nothing runs", async () => {
    const chunked = head({ ...CLOSE, "content-length": undefined, "transfer-encoding": "chunked" });
    await talk(await open(), chunked, "zz\r\n{}\r\n0\r\n\r\n");
    expect(ran).toBe(0);
  });

  test("what follows a body is another request, and is judged by itself", async () => {
    const port = await open();
    const smuggled = head({ ...CLOSE, host: "evil.example" }) + BODY;
    const answer = await talk(port, head(), BODY, smuggled);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
    expect(ran).toBe(1);
  });

  test("a refused request does not spoil its connection", async () => {
    const port = await open();
    const refused = head({ "content-type": "text/plain" }) + BODY;
    const answer = await talk(port, refused, refused, head(CLOSE), BODY);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([
      "HTTP/1.1 415",
      "HTTP/1.1 415",
      "HTTP/1.1 200",
    ]);
  });

  test("a length over the limit is refused before any of it is sent", async () => {
    const port = await open(counted, { maxBodyBytes: 100 });
    const socket = net.connect(port, "127.0.0.1");
    socket.write(head({ "content-length": "101" }));
    const [first] = (await new Promise<Buffer[]>((resolve) =>
      socket.once("data", (data: Buffer) => resolve([data])),
    )) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1\.1 413/);
    socket.destroy();
  });

  test("a client that goes in the middle of its body has asked for nothing", async () => {
    const closed = deferred();
    const server = http.createServer(toNodeHandler(serverOf(counted)));
    server.on("connection", (socket) => socket.on("close", () => closed.resolve()));
    const port = await listen(server);
    ran = 0;
    const socket = net.connect(port, "127.0.0.1", () =>
      socket.write(head() + BODY.slice(0, 20), () => socket.resetAndDestroy()),
    );
    await closed.promise;
    expect(ran).toBe(0);
  });

  test("a client that goes while it is being looked up is not served", async () => {
    const lookUp = deferred();
    const asked = deferred();
    const closed = deferred();
    const handler = toNodeHandler(serverOf(counted), {
      authenticate: async () => {
        asked.resolve();
        await lookUp.promise;
        return undefined;
      },
    });
    const server = http.createServer(handler);
    server.on("connection", (socket) => socket.on("close", () => closed.resolve()));
    const port = await listen(server);
    ran = 0;
    const socket = net.connect(port, "127.0.0.1", () => socket.write(head() + BODY));
    await asked.promise;
    socket.resetAndDestroy();
    await closed.promise;
    lookUp.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran).toBe(0);
  });

  test("HTTP/1.0 without a host is refused over loopback", async () => {
    const sent = head({ host: undefined }).replace("HTTP/1.1", "HTTP/1.0");
    expect(await talk(await open(), sent, BODY)).toMatch(/^HTTP\/1\.1 403/);
  });
});

describe("inside a framework", () => {
  /** A server whose `prepare` runs before the handler, as middleware would. */
  async function behind(
    prepare: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>,
    options: NodeHandlerOptions,
    handler: Handler = counted,
  ): Promise<number> {
    ran = 0;
    const inner = toNodeHandler(serverOf(handler), options);
    const outer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
      await prepare(request, response);
      inner(request, response);
    };
    return listen(http.createServer((request, response) => void outer(request, response)));
  }

  const parse = async (request: http.IncomingMessage): Promise<void> => {
    Object.assign(request, { body: JSON.parse(await textOf(request)) as unknown });
  };

  test("a body that was read before is 500 at once, and the operator is told what to do", async () => {
    const log = memoryLogger();
    const port = await behind(parse, { log });
    expect(await talk(port, head(CLOSE), BODY)).toMatch(/^HTTP\/1\.1 500/);
    expect(log.lines[0]?.message).toContain('body: "parsed"');
    expect(ran).toBe(0);
  });

  test("a body that was parsed before is taken where that is said", async () => {
    const port = await behind(parse, { body: "parsed" });
    expect(await talk(port, head(CLOSE), BODY)).toMatch(/^HTTP\/1\.1 200/);
  });

  test.each([
    ["text", BODY],
    ["bytes", Buffer.from(BODY)],
  ])("so is one that was left as %s", async (_, body) => {
    const port = await behind(async (request) => void Object.assign(request.resume(), { body }), {
      body: "parsed",
    });
    expect(await talk(port, head(CLOSE), BODY)).toMatch(/^HTTP\/1\.1 200/);
  });

  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  test.each([
    ["nothing", undefined, 400],
    ["a circle", circular, 400],
    ["a number JSON has not", 7n, 400],
    ["too much", { ...CALL, extra: "x".repeat(200) }, 413],
    ["too deep", JSON.parse(`${"[".repeat(90)}${"]".repeat(90)}`) as unknown, 400],
  ])("%s is refused", async (_, body, status) => {
    const port = await behind(async (request) => void Object.assign(request.resume(), { body }), {
      body: "parsed",
      maxBodyBytes: BODY.length,
    });
    expect(await talk(port, head(CLOSE), BODY)).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
    expect(ran).toBe(0);
  });

  const silent: Handler = (id) => ok(id);
  const talking: Handler = (id, context) => {
    context.notify("{}");
    return ok(id);
  };

  test.each([
    ["with one object", silent],
    ["with a stream", talking],
  ])("what somebody else has answered is not answered again %s", async (_, handler) => {
    const log = memoryLogger();
    const answer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
      await parse(request);
      response.writeHead(503).end("theirs");
    };
    const port = await behind(answer, { log, body: "parsed" }, handler);
    expect(await talk(port, head(CLOSE), BODY)).toMatch(/^HTTP\/1\.1 503[^]*theirs/);
    expect(log.lines).toEqual([]);
  });

  test.each([
    ["with one object", silent],
    ["with a stream", talking],
  ])("nor is what somebody answers meanwhile, %s", async (_, finish) => {
    let response: http.ServerResponse | undefined;
    const closed = deferred();
    const handler: Handler = async (id, context, message) => {
      response?.writeHead(503).end("theirs");
      await Promise.resolve();
      return finish(id, context, message);
    };
    const port = await behind(
      async (_request, theirs) => {
        response = theirs;
        theirs.on("close", () => closed.resolve());
      },
      {},
      handler,
    );
    const answer = await talk(port, head(CLOSE), BODY);
    await closed.promise;
    expect(answer).toMatch(/^HTTP\/1\.1 503/);
    expect(answer).not.toContain("jsonrpc");
  });

  test("a client that went before the server got to its parsed body is known to have gone", async () => {
    const closed = deferred();
    const asked = deferred();
    const aborted = deferred<boolean>();
    const port = await behind(
      async (request, response) => {
        response.on("close", () => closed.resolve());
        await parse(request);
      },
      {
        body: "parsed",
        authenticate: async () => {
          asked.resolve();
          await closed.promise;
          return undefined;
        },
      },
      async (id, { signal }) => {
        await Promise.resolve();
        aborted.resolve(signal.aborted);
        return ok(id);
      },
    );
    const socket = net.connect(port, "127.0.0.1", () => socket.write(head() + BODY));
    await asked.promise;
    socket.resetAndDestroy();
    expect(await aborted.promise).toBe(true);
  });
});

test("over HTTP/2 the same handler serves", async () => {
  const handler = toNodeHandler(
    serverOf((id, context) => {
      context.notify("{}");
      return ok(id);
    }),
  );
  const port = await listen(
    http2.createServer((request, response) =>
      handler(
        request as unknown as http.IncomingMessage,
        response as unknown as http.ServerResponse,
      ),
    ),
  );
  const session = http2.connect(`http://localhost:${port}`);
  const stream = session.request({ ":method": "POST", ":path": "/mcp", ...headersOf(CALL) });
  stream.end(BODY);
  expect(await textOf(stream)).toBe(`data: {}\n\ndata: ${ok(1).text}\n\n`);
  session.close();
});
