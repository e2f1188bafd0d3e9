import { describe, expect, test } from "vitest";
import type { Link, Outgoing } from "../../src/client/link.js";
import { openClient } from "../../src/client/open.js";
import { listUntil } from "../../src/client/list-until.js";
import { ToolHeaders } from "../../src/client/tool-headers.js";
import { connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import {
  DISCOVERY,
  type Received,
  type Reply,
  ask,
  form,
  json,
  scripted,
  text,
} from "./scripted.js";
import { connectUndici } from "../support/undici.js";

/** A tool that mirrors these members, all strings unless a whole schema is given. */
const tool = (name: string, headers: Record<string, string | Record<string, unknown>> = {}) => ({
  name,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(headers).map(([member, header]) => [
        member,
        typeof header === "string" ? { type: "string", "x-mcp-header": header } : header,
      ]),
    ),
  },
});

const page = (tools: unknown[], nextCursor?: string): Reply => ({
  result: { resultType: "complete", tools, nextCursor, ttlMs: 0, cacheScope: "private" },
});

const mismatch = ({ id }: Received): Reply => ({
  raw: (to) =>
    json(to, 400, { jsonrpc: "2.0", id, error: { code: -32020, message: "Header mismatch" } }),
});

/** The headers of a request that mirror arguments. */
const mirrored = ({ headers }: Received): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("mcp-param-")));

const methods = ({ requests }: { requests: Received[] }): string[] =>
  requests.map(({ method }) => method);

const silent = { log: false } as const;

describe.each([
  ["node", connect],
  ["undici", connectUndici],
  ["fetch", connectFetch],
])("arguments over %s", (_transport, open) => {
  test("travel in the headers their tool's schema names, and no others do", async () => {
    const integer = { type: "integer", "x-mcp-header": "Count" };
    const boolean = { type: "boolean", "x-mcp-header": "Dry-Run" };
    const nested = {
      type: "object",
      properties: { zone: { type: "string", "x-mcp-header": "Zone" } },
    };
    const listed = tool("t", {
      region: "Region",
      greeting: "Greeting",
      empty: "Empty",
      nothing: "Nothing",
      absent: "Absent",
      method: "Method",
      count: integer,
      dry: boolean,
      at: nested,
      query: { type: "string" },
    });
    const server = await scripted(({ method }) =>
      method === "tools/list" ? page([listed]) : text("done"),
    );
    const client = await open(server.url);
    await client.listTools().all();
    await client.callTool({
      name: "t",
      arguments: {
        region: "eu west 1",
        greeting: "Hello, 世界",
        empty: "",
        nothing: null,
        method: "a\tb",
        count: -7,
        dry: false,
        at: { zone: " padded " },
        query: "never in a header",
      },
    });
    await client.close();
    expect(server.requests.map(mirrored)).toEqual([
      {},
      {
        "mcp-param-region": "eu west 1",
        "mcp-param-greeting": "=?base64?SGVsbG8sIOS4lueVjA==?=",
        "mcp-param-empty": "",
        "mcp-param-method": "=?base64?YQli?=",
        "mcp-param-count": "-7",
        "mcp-param-dry-run": "false",
        "mcp-param-zone": "=?base64?IHBhZGRlZCA=?=",
      },
    ]);
    expect(server.requests[1]?.headers["mcp-method"]).toBe("tools/call");
  });

  test("go along in every round of a call", async () => {
    const server = await scripted(({ method, params }) => {
      if (method === "tools/list") return page([tool("t", { region: "Region" })]);
      return params.requestState === undefined ? ask({ sure: form("Sure?") }, "s") : text("done");
    });
    const client = await open(server.url, { answer: { form: () => ({ action: "accept" }) } });
    await client.listTools().all();
    await client.callTool({ name: "t", arguments: { region: "r" } });
    await client.close();
    const [, first, second] = server.requests.map(mirrored);
    expect(first).toEqual({ "mcp-param-region": "r" });
    expect(second).toEqual(first);
  });
});

describe("a list of tools", () => {
  test("leaves out those whose annotations are not valid, and says so", async () => {
    const warnings: string[] = [];
    const bad = tool("bad\nname", { region: "no token" });
    const server = await scripted(() => page([tool("a", { x: "X" }), bad, tool("c")]));
    const client = await connect(server.url, { log: { warn: (said) => warnings.push(said) } });
    expect((await client.listTools().all()).map(({ name }) => name)).toEqual(["a", "c"]);
    for await (const { tools } of client.listTools().pages()) expect(tools).toHaveLength(2);
    await client.close();
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain(String.raw`"bad\nname"`);
    expect(warnings[0]).toContain("is no name of a header");
  });

  test("is remembered tool by tool, as it was last given", async () => {
    const lists = [
      [tool("t", { a: "A" }), tool("u", { a: "U" })],
      [tool("t", { a: "B" })],
      [tool("t")],
    ];
    let at = 0;
    const server = await scripted(({ method }) =>
      method === "tools/list" ? page(lists[at++] ?? []) : text("done"),
    );
    const client = await connect(server.url);
    while (at < lists.length) {
      await client.listTools().all();
      await client.callTool({ name: "t", arguments: { a: "1" } });
    }
    await client.callTool({ name: "u", arguments: { a: "1" } });
    await client.getPrompt({ name: "u", arguments: { a: "1" } }).catch(() => undefined);
    await client.close();
    const calls = server.requests.filter(({ method }) => method !== "tools/list");
    expect(calls.map(mirrored)).toEqual([
      { "mcp-param-a": "1" },
      { "mcp-param-b": "1" },
      {},
      { "mcp-param-u": "1" },
      {},
    ]);
  });

  test("is remembered up to a bound: what was listed longest ago goes first", () => {
    const tools = new ToolHeaders(() => undefined, 50);
    const learn = (name: string) =>
      tools.learn("tools/list", { tools: [tool(name, { member: "H" })] });
    const known = () => ["a", "b", "c"].filter((name) => tools.of("tools/call", { name }));
    learn("a");
    learn("b");
    expect(known()).toEqual(["a", "b"]);
    learn("a");
    learn("c");
    expect(known()).toEqual(["a", "c"]);
    tools.learn("tools/list", { tools: [tool("b", { ["x".repeat(60)]: "H" })] });
    expect(known()).toEqual([]);
  });

  test("that holds what is no tool is none of this", () => {
    const tools = new ToolHeaders(() => undefined);
    const odd = { tools: [null, 1, {}, { name: 1, inputSchema: "x" }] };
    expect(tools.learn("tools/list", odd)).toBe(odd);
    expect(tools.learn("tools/list", { tools: "x" })).toEqual({ tools: "x" });
  });
});

describe("a call refused for its headers", () => {
  const call = { name: "t", arguments: { region: "r" } };

  test("lists the tools and is sent once more, with what they want", async () => {
    const server = await scripted((request) => {
      if (request.method === "tools/list") {
        return request.params.cursor === undefined
          ? page([tool("other", { region: "Other" })], "2")
          : page([tool("t", { region: "Region" })], "never read");
      }
      return "mcp-param-region" in request.headers ? text("done") : mismatch(request);
    });
    const client = await connect(server.url);
    const rounds: unknown[] = [];
    const result = await client.callTool(call, { onRound: ({ id }) => rounds.push(id) });
    await client.callTool(call);
    await client.close();
    expect(result).toMatchObject({ content: [{ text: "done" }] });
    expect(methods(server)).toEqual([
      "tools/call",
      "tools/list",
      "tools/list",
      "tools/call",
      "tools/call", // the second call knows
    ]);
    const ids = server.requests.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(rounds).toEqual([ids[3]]);
  });

  test("is sent once more where the annotations have changed, or gone", async () => {
    const wanted = ["Old", "New", undefined];
    let now = 0;
    const server = await scripted((request) => {
      const header = wanted[now];
      if (request.method === "tools/list") {
        return page([tool("t", header === undefined ? {} : { region: header })]);
      }
      const names = header === undefined ? [] : [`mcp-param-${header.toLowerCase()}`];
      const isRight = JSON.stringify(Object.keys(mirrored(request))) === JSON.stringify(names);
      return isRight ? text("done") : mismatch(request);
    });
    const client = await connect(server.url);
    await client.listTools().all();
    for (now of [0, 1, 2]) await client.callTool(call);
    await client.close();
    expect(methods(server).slice(1)).toEqual([
      "tools/call",
      ...["tools/call", "tools/list", "tools/call"],
      ...["tools/call", "tools/list", "tools/call"],
    ]);
  });

  test("in the middle of a flow keeps its answers and its state", async () => {
    const server = await scripted((request) => {
      const { method, params, headers } = request;
      if (method === "tools/list") return page([tool("t", { region: "Region" })]);
      if (params.requestState === undefined) return ask({ sure: form("Sure?") }, "s");
      return "mcp-param-region" in headers ? text("done") : mismatch(request);
    });
    const client = await connect(server.url, { answer: { form: () => ({ action: "accept" }) } });
    await client.callTool(call);
    await client.close();
    const [, refused, , sent] = server.requests;
    expect(sent?.params).toMatchObject({ requestState: "s", inputResponses: { sure: {} } });
    expect(sent?.params.inputResponses).toEqual(refused?.params.inputResponses);
  });

  test.each<[string, (request: Received) => Reply, string[]]>([
    ["the list says the same", () => page([tool("t", { region: "Region" })]), ["tools/list"]],
    ["the list has an end", () => page([]), ["tools/list"]],
    ["the list fails", () => ({ error: { code: -32603, message: "no list" } }), ["tools/list"]],
    ["the list cannot be had", () => ({ raw: (to) => to.destroy() }), ["tools/list"]],
  ])("is not sent again where %s", async (_name, list, then) => {
    let lists = 0;
    const server = await scripted((request) => {
      if (request.method !== "tools/list") return mismatch(request);
      lists += 1;
      return lists === 1 ? page([tool("t", { region: "Region" })]) : list(request);
    });
    const client = await connect(server.url);
    await client.listTools().all();
    await expect(client.callTool(call)).rejects.toMatchObject({ code: "rpc", rpcCode: -32020 });
    await client.close();
    expect(methods(server)).toEqual(["tools/list", "tools/call", ...then]);
  });

  test("is sent again once only", async () => {
    const server = await scripted((request) =>
      request.method === "tools/list" ? page([tool("t", { region: "Region" })]) : mismatch(request),
    );
    const client = await connect(server.url, silent);
    await expect(client.callTool(call)).rejects.toMatchObject({ rpcCode: -32020 });
    await client.close();
    expect(methods(server)).toEqual(["tools/call", "tools/list", "tools/call"]);
  });

  test("lists no tools where it calls none", async () => {
    const server = await scripted(mismatch);
    const client = await connect(server.url);
    await expect(client.getPrompt({ name: "t" })).rejects.toMatchObject({ rpcCode: -32020 });
    await client.close();
    expect(methods(server)).toEqual(["prompts/get"]);
  });

  test("and aborted while the tools are listed is aborted", async () => {
    const controller = new AbortController();
    const server = await scripted((request) => {
      if (request.method !== "tools/list") return mismatch(request);
      controller.abort();
      return { raw: () => undefined };
    });
    const client = await connect(server.url);
    await expect(client.callTool(call, { signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    await client.close();
    expect(methods(server)).toEqual(["tools/call", "tools/list"]);
  });
});

describe("the list of a refused call", () => {
  /** Reads a list without end until so many pages were read, and says how many that were. */
  async function read(enough: number): Promise<{ found: boolean; pages: number }> {
    let pages = 0;
    const next = () => Promise.resolve({ nextCursor: String((pages += 1)) });
    return { found: await listUntil(next, () => pages >= enough), pages };
  }

  test.each([
    ["is not read where what it would say is known meanwhile", 0, { found: true, pages: 0 }],
    ["is read no further than it takes", 3, { found: true, pages: 3 }],
    ["is given up after a thousand pages", 1_001, { found: false, pages: 1_000 }],
  ])("%s", async (_name, enough, outcome) => {
    expect(await read(enough)).toEqual(outcome);
  });
});

test("a link without headers leaves annotations alone", async () => {
  const sent: Outgoing[] = [];
  const tools = [tool("a", { region: "no token" }), tool("t", { region: "Region" })];
  const link: Link = {
    address: "in memory",
    mirrors: false,
    send: async (request) => {
      sent.push(request);
      const { id, method } = request;
      const error = { code: -32020, message: "Header mismatch" };
      const result = { ...DISCOVERY, tools };
      const isCall = method === "tools/call";
      return {
        kind: "response",
        response: { jsonrpc: "2.0", id, ...(isCall ? { error } : { result }) },
      };
    },
    close: async () => undefined,
  };
  const warnings: string[] = [];
  const client = await openClient(link, { log: { warn: (said) => warnings.push(said) } });
  expect(await client.listTools().all()).toHaveLength(2);
  const call = { name: "t", arguments: { region: "r" } };
  await expect(client.callTool(call)).rejects.toMatchObject({ rpcCode: -32020 });
  expect(sent.map(({ method }) => method)).toEqual(["server/discover", "tools/list", "tools/call"]);
  expect(sent.at(-1)?.mirrored).toBeUndefined();
  expect(warnings).toEqual([]);
});
