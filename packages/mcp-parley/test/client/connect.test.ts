import { describe, expect, test } from "vitest";
import { openClient } from "../../src/client/open.js";
import { connect } from "../../src/entry/client-node.js";
import { nodeHttpLink } from "../../src/transport/client/http-node.js";
import { FakeClock } from "./fake-clock.js";
import { DISCOVERY, type Reply, json, scripted, text } from "./scripted.js";

const unsupported = (supported: unknown): Reply => ({
  error: { code: -32022, message: "Unsupported", data: { supported, requested: "2026-07-28" } },
});

test("connecting asks the server what it is", async () => {
  const server = await scripted(
    () => text("done"),
    () => ({
      result: { ...DISCOVERY, instructions: "Be kind." },
    }),
  );
  const client = await connect(server.url);
  expect(client.server).toEqual({
    address: server.url,
    info: { name: "scripted", version: "1.0.0" },
    capabilities: { tools: {}, prompts: {}, resources: {} },
    instructions: "Be kind.",
  });
  expect(await client.discover()).toMatchObject({ supportedVersions: ["2026-07-28"] });
  await client.close();
  expect(server.all.map(({ method }) => method)).toEqual(["server/discover", "server/discover"]);
});

test("a server that keeps its name to itself has none", async () => {
  const server = await scripted(
    () => text("done"),
    () => ({
      result: { supportedVersions: ["2026-07-28"], capabilities: {} },
    }),
  );
  const client = await connect(server.url);
  await client.close();
  expect(client.server.info).toBeUndefined();
});

describe("a server that refuses the revision", () => {
  test("and yet lists it is asked once more, under another id", async () => {
    const server = await scripted(
      (_request, index) => (index === 0 ? unsupported(["2026-07-28"]) : text("done")),
      (_request, index) => (index === 0 ? unsupported(["2026-07-28"]) : { result: DISCOVERY }),
    );
    const client = await connect(server.url);
    await client.callTool({ name: "t" });
    await client.close();
    expect(server.all.map(({ method }) => method)).toEqual([
      "server/discover",
      "server/discover",
      "tools/call",
      "tools/call",
    ]);
    expect(new Set(server.all.map(({ id }) => id)).size).toBe(4);
  });

  test("each time is asked twice, not for ever", async () => {
    const server = await scripted(
      () => text("done"),
      () => unsupported(["2026-07-28"]),
    );
    await expect(connect(server.url)).rejects.toMatchObject({ code: "rpc", rpcCode: -32022 });
    expect(server.all).toHaveLength(2);
  });

  test("and lists others is named with what it speaks", async () => {
    const server = await scripted(
      () => text("done"),
      () => unsupported(["2027-03-01", "2025-11-25", 7, "\u001b[2J"]),
    );
    const error: unknown = await connect(server.url).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "version_unsupported" });
    expect((error as Error).message).toContain("2027-03-01, 2025-11-25");
    expect((error as Error).message).not.toContain("\u001b");
    expect(server.all).toHaveLength(1);
  });

  test("in its discovery, too", async () => {
    const server = await scripted(
      () => text("done"),
      () => ({
        result: { ...DISCOVERY, supportedVersions: ["2027-03-01"] },
      }),
    );
    await expect(connect(server.url)).rejects.toMatchObject({ code: "version_unsupported" });
  });
});

describe("a server of an earlier revision, which this client does not speak,", () => {
  const status = (code: number, body: unknown = ""): Reply => ({
    raw: (to) => (typeof body === "string" ? to.writeHead(code).end(body) : json(to, code, body)),
  });
  const error = (code: number): unknown => ({
    jsonrpc: "2.0",
    id: 1,
    error: { code, message: "?" },
  });
  test.each<[string, Reply]>([
    ["-32600", status(400, error(-32600))],
    ["-32602", status(200, error(-32602))],
    ["-32601", status(404, error(-32601))],
    ["-32000 with a null id", status(400, { ...(error(-32000) as object), id: null })],
    ["status 400 alone", status(400, "Bad Request")],
    ["status 404 alone", status(404)],
    ["status 405 alone", status(405)],
    ["status 406 with JSON of its own", status(406, { error: "no" })],
    ["a result of some other kind", { result: { tools: [] } }],
    ["an empty result", { result: {} }],
    ["another id", status(200, { jsonrpc: "2.0", id: 99, result: DISCOVERY })],
  ])("is told by %s", async (_name, reply) => {
    const server = await scripted(
      () => text("done"),
      () => reply,
    );
    const outcome: unknown = await connect(server.url).catch((e: unknown) => e);
    expect(outcome).toMatchObject({ code: "legacy_server" });
    expect((outcome as Error).message).toContain("2026-07-28");
    expect(server.all).toHaveLength(1);
  });

  test("is told by its silence", async () => {
    const clock = new FakeClock();
    const server = await scripted(
      () => text("done"),
      () => ({ raw: () => undefined }),
    );
    const link = nodeHttpLink({ url: server.url, responseSize: 1e6 }, clock);
    const failed = expect(openClient(link, {}, clock)).rejects.toMatchObject({
      code: "legacy_server",
    });
    clock.advance(await clock.set(30_000, 30_000));
    await failed;
    await server.all[0]?.gone;
  });

  test("is not told by an error of this revision", async () => {
    const server = await scripted(
      () => text("done"),
      () => ({
        error: { code: -32021, message: "?", data: { requiredCapabilities: { sampling: {} } } },
      }),
    );
    await expect(connect(server.url)).rejects.toMatchObject({ code: "rpc", rpcCode: -32021 });
  });

  test.each([
    [401, "unauthorized"],
    [403, "transport_failed"],
    [429, "transport_failed"],
    [500, "transport_failed"],
    [503, "transport_failed"],
  ])("is not told by status %i", async (code, expected) => {
    const server = await scripted(
      () => text("done"),
      () => status(code, { error: "invalid_token" }),
    );
    await expect(connect(server.url)).rejects.toMatchObject({ code: expected });
  });
});

describe("what is no endpoint", () => {
  test.each(["", "example.com/mcp", "ftp://example.com/", "http://user:secret@127.0.0.1/mcp"])(
    "%j is refused",
    async (url) => {
      const error: unknown = await connect(url).catch((e: unknown) => e);
      expect(error).toMatchObject({ code: "usage" });
    },
  );

  test("nobody listening is a transport that failed", async () => {
    await expect(connect("http://127.0.0.1:1/mcp")).rejects.toMatchObject({
      code: "transport_failed",
      message: expect.stringContaining("ECONNREFUSED") as string,
    });
  });
});
