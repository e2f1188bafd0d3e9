import { afterEach, describe, expect, test } from "vitest";
import { encodeHeaderValue } from "../../src/protocol/headers.js";
import type { HttpOptions } from "../../src/transport/http-policy.js";
import { DOORS, type Door, type Got, type Sent, json, post, rest } from "./doors.js";
import { CALL, NOTE, deferred, request, serverOf } from "./fixtures.js";

/** What an error body says: its code and id. */
async function fault(got: Got) {
  const { jsonrpc, id, error } = (await json(got)) as {
    jsonrpc: string;
    id?: unknown;
    error: { code: number; message: string; data?: unknown };
  };
  expect(jsonrpc).toBe("2.0");
  return { status: got.status, code: error.code, id, message: error.message, data: error.data };
}

describe.each(DOORS)("what is refused over %s", (kind, openDoor) => {
  const doors: Door[] = [];
  let ran = 0;
  afterEach(async () => {
    ran = 0;
    for (const door of doors.splice(0)) await door.close();
  });

  async function open(options?: HttpOptions): Promise<Door> {
    const server = serverOf((id) => {
      ran++;
      return { text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`, status: 200 };
    });
    const door = await openDoor(server, options);
    doors.push(door);
    return door;
  }

  /** The fault `sent` is refused with; fails where the server ran. */
  async function refusal(sent: Sent, options?: HttpOptions) {
    const found = await fault(await (await open(options)).send(sent));
    expect(ran).toBe(0);
    return found;
  }

  async function accepted(sent: Sent, options?: HttpOptions): Promise<Got> {
    const got = await (await open(options)).send(sent);
    expect({ status: got.status, ran }).toEqual({ status: 200, ran: 1 });
    return got;
  }

  describe("the method", () => {
    test.each(["GET", "DELETE", "PUT", "PATCH", "OPTIONS"])("%s is 405", async (method) => {
      const got = await (await open()).send({ method });
      expect(got.status).toBe(405);
      expect(got.header("allow")).toBe("POST");
      expect(await fault(got)).toMatchObject({ code: -32600, id: undefined });
    });

    test("HEAD is 405 without a body", async () => {
      const got = await (await open()).send({ method: "HEAD" });
      expect(got.status).toBe(405);
    });
  });

  describe("the content type", () => {
    test.each([
      undefined,
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=utf-16",
    ])("%s is 415", async (type) => {
      const found = await refusal(post(CALL, { "content-type": type }));
      expect(found).toMatchObject({ status: 415, code: -32600, id: undefined });
    });

    test.each(["gzip", "br", "deflate, gzip"])("content encoding %s is 415", async (encoding) => {
      expect((await refusal(post(CALL, { "content-encoding": encoding }))).status).toBe(415);
    });

    test("a charset of UTF-8 and the identity encoding pass", async () => {
      await accepted(post(CALL, { "content-type": "application/json; charset=utf-8" }));
      ran = 0;
      await accepted(post(CALL, { "content-encoding": "identity" }));
    });
  });

  test("an answer the client takes in neither form is 406", async () => {
    expect((await refusal(post(CALL, { accept: "text/html" }))).status).toBe(406);
  });

  describe("the size", () => {
    const body = JSON.stringify(CALL);
    const size = Buffer.byteLength(body);

    test("a body of exactly the limit passes, one byte more is 413", async () => {
      await accepted(post(CALL), { maxBodyBytes: size });
      ran = 0;
      expect((await refusal(post(CALL), { maxBodyBytes: size - 1 })).status).toBe(413);
    });

    test("a length that is not declared is counted", async () => {
      const pieces = async function* () {
        for (const piece of [body.slice(0, 10), body.slice(10)]) {
          await Promise.resolve();
          yield Buffer.from(piece);
        }
      };
      await accepted({ ...post(CALL), body: pieces() }, { maxBodyBytes: size });
      ran = 0;
      const sent = { ...post(CALL), body: pieces() };
      expect((await refusal(sent, { maxBodyBytes: size - 1 })).status).toBe(413);
    });

    test("the limit is 4 MiB where none is set", async () => {
      const limit = 4 * 1024 * 1024;
      const pad = (to: number): Sent => ({ ...post(CALL), body: body + " ".repeat(to - size) });
      await accepted(pad(limit));
      ran = 0;
      expect((await refusal(pad(limit + 1))).status).toBe(413);
    });

    test("a body without end is refused as soon as it is too long", async () => {
      const refused = deferred();
      const endless = async function* () {
        yield Buffer.alloc(2_000, 0x20);
        await refused.promise;
      };
      const got = await (
        await open({ maxBodyBytes: 1_000 })
      ).send({ ...post(CALL), body: endless() });
      expect(got.status).toBe(413);
      refused.resolve();
    });
  });

  describe("the body", () => {
    test.each([
      ["nothing", "", -32700, undefined],
      ["no JSON", "{", -32700, undefined],
      ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), -32700, undefined],
      ["a member twice", '{"jsonrpc":"2.0","id":7,"method":"a","method":"b"}', -32600, 7],
      [
        "too deep",
        `{"jsonrpc":"2.0","id":8,"method":"a","params":${"[".repeat(99)}${"]".repeat(99)}}`,
        -32600,
        8,
      ],
    ])("%s is 400", async (_, body, code, id) => {
      const found = await refusal({ ...post(CALL), body });
      expect(found).toMatchObject({ status: 400, code });
      expect(found.id).toBe(id);
    });
  });

  describe("mirrored headers", () => {
    const uri = "file:///Załączniki/raport.pdf";
    const READ = request("r", "resources/read", { uri });
    const LIST = request(2, "tools/list");
    const named = (name: string) => request(3, "tools/call", { name, arguments: {} });

    test.each([
      ["Mcp-Method is missing", post(CALL, { "mcp-method": undefined })],
      ["Mcp-Method says another method", post(CALL, { "mcp-method": "tools/list" })],
      ["Mcp-Method is written differently", post(LIST, { "mcp-method": "TOOLS/LIST" })],
      ["Mcp-Name is missing on tools/call", post(CALL, { "mcp-name": undefined })],
      ["Mcp-Name is missing on resources/read", post(READ, { "mcp-name": undefined })],
      [
        "Mcp-Name is missing on prompts/get",
        { ...post(request(1, "prompts/get", { name: "p" }), { "mcp-name": undefined }) },
      ],
      ["Mcp-Name says another name", post(CALL, { "mcp-name": "Echo" })],
      ["Mcp-Name is empty", post(CALL, { "mcp-name": "" })],
      ["Mcp-Name is padded wrongly", post(named("Hello"), { "mcp-name": "=?base64?SGVsbG8?=" })],
      [
        "Mcp-Name is another alphabet",
        post(named("Hello"), { "mcp-name": "=?base64?SGVs!!!bG8=?=" }),
      ],
      [
        "Mcp-Name is sent bare though it is not ASCII",
        post(named("zażółć"), { "mcp-name": Buffer.from("zażółć").toString("latin1") }),
      ],
      [
        "Mcp-Name is a literal sentinel",
        post(named("=?base64?abc?="), { "mcp-name": "=?base64?abc?=" }),
      ],
      ["MCP-Protocol-Version is missing", post(CALL, { "mcp-protocol-version": undefined })],
      [
        "MCP-Protocol-Version is not the envelope's",
        post(CALL, { "mcp-protocol-version": "2025-11-25" }),
      ],
    ])("%s: 400 and -32020", async (_, sent) => {
      const found = await refusal(sent);
      expect(found).toMatchObject({ status: 400, code: -32020 });
      expect(found.id).toBe((JSON.parse(sent.body as string) as { id: unknown }).id);
    });

    test.each([
      ["encoded where it has to be", post(READ, { "mcp-name": encodeHeaderValue(uri) })],
      ["encoded where it need not be", post(named("Hello"), { "mcp-name": "=?base64?SGVsbG8=?=" })],
      [
        "a name that looks encoded, encoded",
        post(named("=?base64?abc?="), { "mcp-name": encodeHeaderValue("=?base64?abc?=") }),
      ],
      ["with space around it", post(CALL, { "mcp-name": "  echo ", "mcp-method": "tools/call " })],
      [
        "under whatever case",
        {
          ...post(CALL, { "mcp-name": undefined }),
          headers: { ...post(CALL, { "mcp-name": undefined }).headers, "MCP-NAME": "echo" },
        },
      ],
      ["a name no header is for", post(LIST, { "mcp-name": "whatever" })],
    ])("%s passes", async (_, sent) => {
      await accepted(sent);
    });

    test("a notification may have none, but those it has are held to it", async () => {
      const door = await open();
      const none = { "mcp-method": undefined, "mcp-protocol-version": undefined };
      expect((await door.send(post(NOTE, none))).status).toBe(202);
      const found = await fault(await door.send(post(NOTE, { "mcp-method": "tools/call" })));
      expect(found).toMatchObject({ status: 400, code: -32020, id: undefined });
    });

    test("a body without an envelope is the server's to refuse", async () => {
      await accepted(
        post({ jsonrpc: "2.0", id: 101, method: "server/discover", params: {} } as never),
      );
    });

    test("a body without a name is the server's to refuse", async () => {
      await accepted(post(request(1, "tools/call", { name: 7 }), { "mcp-name": "x" }));
    });
  });

  describe("the version", () => {
    test.each([
      ["one nobody speaks", request(301, "server/discover"), "v999.0.0"],
      [
        "one of an earlier revision",
        { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
        "2025-11-25",
      ],
    ])("%s is -32022, naming what is spoken", async (_, message, version) => {
      const asked = structuredClone(message) as {
        method: string;
        params: { _meta?: Record<string, unknown> };
      };
      if (asked.params._meta)
        asked.params._meta["io.modelcontextprotocol/protocolVersion"] = version;
      const found = await refusal(post(asked, { "mcp-protocol-version": version }));
      expect(found).toMatchObject({ status: 400, code: -32022, id: message.id });
      expect(found.data).toEqual({ supported: ["2026-07-28"], requested: version });
    });

    test("an initialize of a client of an earlier revision is told which revision this is", async () => {
      const initialize = {
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "c", version: "1" },
        },
      };
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const found = await refusal({ headers, body: JSON.stringify(initialize) });
      expect(found).toMatchObject({ status: 400, code: -32020, id: 0 });
      expect(found.message).toContain("2026-07-28");
      expect(found.message).toContain("initialize");
      expect(found.data).toEqual({ supported: ["2026-07-28"] });
    });
  });

  describe("where a request comes from", () => {
    const forbidden = async (headers: Record<string, string>, options?: HttpOptions) =>
      expect(await refusal(post(CALL, headers), options)).toMatchObject({
        status: 403,
        id: undefined,
      });

    test.each([
      ["another site", "https://evil.example"],
      ["no site at all", "null"],
      ["another port of this machine", "http://127.0.0.1:1"],
      ["a site named like this machine", "http://127.0.0.1.evil.example"],
      ["something that is no origin", "127.0.0.1"],
      ["a file", "file://"],
    ])("a page from %s is 403", (_, origin) => forbidden({ origin }));

    test("a page this server could have served passes", async () => {
      const door = await open();
      const sent = post(CALL, { host: door.host, origin: `http://${door.host}` });
      expect((await door.send(sent)).status).toBe(200);
    });

    test.each(["evil.example.com", "evil.example.com:80"])(
      "a page whose name was pointed here afterwards is 403, though it is of the same origin (%s)",
      (host) => forbidden({ host, origin: `http://${host}` }),
    );

    test("so is its request once it hides its origin, where it is known to come over loopback", async () => {
      const got = await (await open()).send(post(CALL, { host: "evil.example.com" }));
      expect(got.status).toBe(kind === "fetch" ? 200 : 403);
    });

    test.each(["localhost", "LOCALHOST:9", "127.0.0.1", "[::1]:3000"])(
      "Host %s passes",
      async (host) => {
        await accepted(post(CALL, { host }));
      },
    );

    describe("with allowedHosts", () => {
      const options = { allowedHosts: ["mcp.example.com", "localhost:3000"] };

      test.each(["mcp.example.com", "MCP.example.com:8443", "localhost:3000"])(
        "%s passes",
        async (host) => {
          await accepted(post(CALL, { host }), options);
        },
      );

      test.each([
        "localhost",
        "localhost:3001",
        "example.com",
        "mcp.example.com.evil.example",
        "mcp.example.com@evil",
      ])("%s is 403", (host) => forbidden({ host }, options));

      test("a page of such a host passes, over TLS that ended before", async () => {
        await accepted(
          post(CALL, { host: "mcp.example.com", origin: "https://mcp.example.com" }),
          options,
        );
      });

      test("what a proxy says of the host it was asked for is not believed", () =>
        forbidden(
          {
            host: "evil.example",
            "x-forwarded-host": "mcp.example.com",
            forwarded: "host=mcp.example.com",
          },
          options,
        ));
    });

    describe("with allowedOrigins", () => {
      const origin = "https://app.example.com";
      const options = { allowedOrigins: [origin] };

      test("a page of an allowed origin passes, and may read the answer", async () => {
        const got = await accepted(post(CALL, { origin }), options);
        expect(got.header("access-control-allow-origin")).toBe(origin);
        expect(got.header("vary")).toBe("origin");
      });

      test("it may read a refusal, too", async () => {
        const got = await (
          await open(options)
        ).send(post(CALL, { origin, "content-type": "text/plain" }));
        expect(got.status).toBe(415);
        expect(got.header("access-control-allow-origin")).toBe(origin);
      });

      test.each([
        "https://app.example.com:444",
        "http://app.example.com",
        "https://evil.app.example.com",
        "https://app.example.com.evil",
      ])("%s is 403, and may not", async (other) => {
        const got = await (await open(options)).send(post(CALL, { origin: other }));
        expect(got.status).toBe(403);
        expect(got.header("access-control-allow-origin")).toBeNull();
      });

      test("a preflight is answered with what may be sent", async () => {
        const headers = {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type, mcp-method, mcp-param-region",
        };
        const got = await (await open(options)).send({ method: "OPTIONS", headers });
        expect(got.status).toBe(204);
        expect(await rest(got)).toBe("");
        expect(got.header("access-control-allow-origin")).toBe(origin);
        expect(got.header("access-control-allow-methods")).toBe("POST");
        expect(got.header("access-control-allow-headers")).toBe(
          headers["access-control-request-headers"],
        );
        expect(got.header("access-control-allow-credentials")).toBeNull();
      });

      test("a preflight from anywhere else is not", async () => {
        const door = await open(options);
        const foreign = await door.send({
          method: "OPTIONS",
          headers: { origin: "https://evil.example" },
        });
        expect(foreign.status).toBe(403);
        expect(foreign.header("access-control-allow-origin")).toBeNull();
        expect((await door.send({ method: "OPTIONS" })).status).toBe(405);
      });

      test("a call from no page needs no origin", async () => {
        const got = await accepted(post(CALL), options);
        expect(got.header("access-control-allow-origin")).toBeNull();
      });
    });
  });
});

test.each([
  [{ allowedHosts: ["https://mcp.example.com"] }],
  [{ allowedHosts: ["mcp.example.com/mcp"] }],
  [{ allowedHosts: ["*"] }],
  [{ allowedOrigins: ["app.example.com"] }],
  [{ allowedOrigins: ["https://app.example.com/"] }],
  [{ allowedOrigins: ["*"] }],
  [{ allowedOrigins: ["null"] }],
  [{ maxBodyBytes: 0 }],
  [{ maxBodyBytes: Number.POSITIVE_INFINITY }],
  [{ keepAliveMs: -1 }],
])("settings that can't be meant are refused when the handler is made: %j", async (options) => {
  for (const [, openDoor] of DOORS) {
    await expect(openDoor(serverOf(), options)).rejects.toMatchObject({ code: "usage" });
  }
});
