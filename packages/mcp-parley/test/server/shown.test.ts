import { afterEach, describe, expect, it } from "vitest";
import { createMcpServer, text } from "../../src/entry/index.js";
import type { McpServer, ServerOptions } from "../../src/entry/index.js";
import { jsonSchema } from "../../src/entry/json-schema.js";
import { accept, answer, request, send } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import { form } from "../../src/flow/questions/form.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";

const icons = [
  {
    src: "https://example.com/i.png",
    mimeType: "image/png",
    sizes: ["48x48"],
    theme: "dark" as const,
  },
  { src: "data:image/svg+xml;base64,PHN2Zy8+", sizes: ["any"] },
];
const info = {
  name: "shown",
  version: "1.0.0",
  title: "Shown",
  description: "Shows itself",
  websiteUrl: "https://example.com",
  icons,
};
const annotations = {
  audience: ["user" as const],
  priority: 0.5,
  lastModified: "2026-07-28T00:00:00Z",
};
const about = {
  title: "A title",
  description: "What it is for",
  icons,
  _meta: { "com.example/a": 1 },
};

const made: McpServer[] = [];
const server = (options: ServerOptions = {}): McpServer => {
  const one = createMcpServer(info, { log: false, ...options });
  made.push(one);
  return one;
};
const host = async (one: McpServer): Promise<Host> => {
  const served = await hosts["in memory"]?.(() => one, false);
  if (served === undefined) throw new Error("no host");
  return served;
};
const ask = async (one: McpServer, method: string, params: Wire = {}): Promise<Turn> =>
  send(await host(one), request(method, params));

afterEach(() => {
  for (const each of made.splice(0)) each.close();
});

describe("what a server says of what it offers reaches the client whole", () => {
  it("of a tool", async () => {
    const hints = {
      title: "T",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    };
    const one = server().tool(
      "t",
      { ...about, annotations: hints, visible: () => true, flow: { life: 5000 } },
      () => text("x"),
    );
    expect((await ask(one, "tools/list")).result?.["tools"]).toEqual([
      { name: "t", ...about, annotations: hints, inputSchema: { type: "object" } },
    ]);
  });

  it("of a prompt and its arguments", async () => {
    const argsSchema = jsonSchema({
      type: "object",
      properties: {
        code: { type: "string", title: "Code", description: "To review" },
        style: { type: "string" },
      },
      required: ["code"],
    });
    const one = server().prompt(
      "p",
      { ...about, argsSchema, visible: () => true, complete: {} },
      () => ({ messages: [] }),
    );
    expect((await ask(one, "prompts/list")).result?.["prompts"]).toEqual([
      {
        name: "p",
        ...about,
        arguments: [
          { name: "code", title: "Code", description: "To review", required: true },
          { name: "style", required: false },
        ],
      },
    ]);
  });

  it("of a resource and of a family", async () => {
    const shown = { ...about, annotations, mimeType: "text/plain" };
    const cache = { ttlMs: 1, cacheScope: "public" as const };
    const one = server()
      .resource("r", "r://1", { ...shown, size: 7, cache, visible: () => true }, () => "x")
      .resourceTemplate("f", "r://{id}", { ...shown, cache, complete: {} }, () => "x");
    expect((await ask(one, "resources/list")).result?.["resources"]).toEqual([
      { name: "r", uri: "r://1", ...shown, size: 7 },
    ]);
    expect((await ask(one, "resources/templates/list")).result?.["resourceTemplates"]).toEqual([
      { name: "f", uriTemplate: "r://{id}", ...shown },
    ]);
  });

  it("of itself, in every result", async () => {
    const one = server().tool("t", {}, () => ({ ...text("x"), _meta: { "com.example/own": 1 } }));
    for (const [method, params] of [
      ["server/discover", {}],
      ["tools/list", {}],
      ["tools/call", { name: "t" }],
    ] as const) {
      const { result } = await ask(one, method, params);
      expect(result?.["_meta"]).toMatchObject({ "io.modelcontextprotocol/serverInfo": info });
    }
  });
});

describe("what clients would leave out is refused", () => {
  const bad = [{ src: "https://example.com/a.png" }, { src: "javascript:alert(1)" }];
  it.each<[string, () => unknown]>([
    ["a tool's icon", () => server().tool("t", { icons: bad }, () => text("x"))],
    ["a prompt's icon", () => server().prompt("p", { icons: bad }, () => ({ messages: [] }))],
    ["a resource's icon", () => server().resource("r", "r://1", { icons: bad }, () => "x")],
    ["a family's icon", () => server().resourceTemplate("r", "r://{a}", { icons: bad }, () => "x")],
    ["the server's icon", () => createMcpServer({ ...info, icons: bad }, { log: false })],
    ["a relative icon", () => server().tool("t", { icons: [{ src: "/i.png" }] }, () => text("x"))],
    [
      "a priority",
      () => server().resource("r", "r://1", { annotations: { priority: 2 } }, () => "x"),
    ],
    [
      "a time",
      () => server().resource("r", "r://1", { annotations: { lastModified: "now" } }, () => "x"),
    ],
  ])("%s", (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "usage" }));
  });
});

describe("cache hints", () => {
  const hints = { ttlMs: 60_000, cacheScope: "public" as const };

  it.each([
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
  ])("are on %s as the server says, and by default say not to keep it", async (method) => {
    const fill = (one: McpServer): McpServer =>
      one
        .tool("t", {}, () => text("x"))
        .prompt("p", {}, () => ({ messages: [] }))
        .resource("r", "r://1", {}, () => "x");
    expect((await ask(fill(server({ cache: hints })), method)).result).toMatchObject(hints);
    expect((await ask(fill(server()), method)).result).toMatchObject({
      ttlMs: 0,
      cacheScope: "private",
    });
  });

  it("are on a read as its resource says, and never public where not everyone may read", async () => {
    const one = server({ cache: hints })
      .resource("a", "r://a", { cache: hints }, () => "x")
      .resource("b", "r://b", { cache: hints, visible: () => true }, () => "x")
      .resource("c", "r://c", {}, () => "x")
      .resourceTemplate("f", "f://{id}", { cache: hints, visible: () => true }, () => "x");
    const read = async (uri: string): Promise<unknown> =>
      (await ask(one, "resources/read", { uri })).result;
    expect(await read("r://a")).toMatchObject(hints);
    expect(await read("r://b")).toMatchObject({ ttlMs: 60_000, cacheScope: "private" });
    expect(await read("r://c")).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    expect(await read("f://1")).toMatchObject({ ttlMs: 60_000, cacheScope: "private" });
  });

  it("forbid keeping a read that was answered for, and are not on a question", async () => {
    const one = server().resource("r", "r://1", { cache: hints }, async (_, call) => {
      await call.ask("sure", form("Sure?"));
      return "x";
    });
    const served = await host(one);
    const asked = await send(served, request("resources/read", { uri: "r://1" }));
    expect(asked.result).not.toHaveProperty("ttlMs");
    expect(asked.result).not.toHaveProperty("cacheScope");
    const retry = { uri: "r://1", ...answer(asked.result ?? {}, { sure: accept() }) };
    const { result } = await send(served, request("resources/read", retry));
    expect(result).toMatchObject({ contents: [{ text: "x" }], ttlMs: 0, cacheScope: "private" });
  });

  it.each([{ ttlMs: -1 }, { ttlMs: 0.5 }, { ttlMs: NaN }, { cacheScope: "shared" as never }])(
    "that say %o are refused",
    (change) => {
      const cache = { ...hints, ...change };
      expect(() => server({ cache })).toThrow(RangeError);
      expect(() => server().resource("r", "r://1", { cache }, () => "x")).toThrow(RangeError);
      expect(() => server().resourceTemplate("r", "r://{a}", { cache }, () => "x")).toThrow(
        RangeError,
      );
    },
  );
});

describe("on the request's own stream", () => {
  const talkative = (): McpServer =>
    server().tool("t", {}, (_, call) => {
      for (const level of ["debug", "info", "warning", "error", "emergency"] as const)
        call.log(level, { level }, "me");
      call.log("error", undefined);
      for (const progress of [1, 1, 0.5, NaN, 2.5, Infinity, 3])
        call.progress(progress, 10, "going");
      return text("x");
    });
  const notified = async (meta: Wire): Promise<Wire[]> =>
    (await ask(talkative(), "tools/call", { name: "t", _meta: meta })).notified;

  it("nothing is said that was not asked for", async () => {
    expect(await notified({})).toEqual([]);
  });

  it("logs are as grave as the request wants them, and whole", async () => {
    const heard = await notified({ "io.modelcontextprotocol/logLevel": "warning" });
    expect(heard.map(({ method, params }) => [method, params])).toEqual([
      ["notifications/message", { level: "warning", logger: "me", data: { level: "warning" } }],
      ["notifications/message", { level: "error", logger: "me", data: { level: "error" } }],
      ["notifications/message", { level: "emergency", logger: "me", data: { level: "emergency" } }],
      ["notifications/message", { level: "error", data: null }],
    ]);
  });

  it("a level that is none is refused", async () => {
    const meta = { "io.modelcontextprotocol/logLevel": "loud" };
    const { error, notified } = await ask(talkative(), "tools/call", { name: "t", _meta: meta });
    expect(error).toMatchObject({ code: -32602 });
    expect(notified).toEqual([]);
  });

  it.each(["token", 7])("progress grows, under the token %j", async (progressToken) => {
    expect((await notified({ progressToken })).map(({ params }) => params)).toEqual(
      [1, 2.5, 3].map((progress) => ({ progressToken, progress, total: 10, message: "going" })),
    );
  });
});
