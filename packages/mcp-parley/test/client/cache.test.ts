import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import { openClient } from "../../src/client/open.js";
import { ResponseCache } from "../../src/client/response-cache.js";
import type { RequestOptions } from "../../src/client/sending.js";
import { connect } from "../../src/entry/client-node.js";
import { FakeClock } from "./fake-clock.js";
import { MemoryLink, type Played } from "./memory-link.js";
import { DISCOVERY, ask, form, json, scripted } from "./scripted.js";

const HOUR = 3_600_000;

/** The list or contents every cacheable method is there for, and how a client asks for it. */
const METHODS: Readonly<
  Record<string, [string, (client: Client, options?: RequestOptions) => Promise<unknown[]>]>
> = {
  "tools/list": ["tools", (client, options) => client.listTools(options).all()],
  "prompts/list": ["prompts", (client, options) => client.listPrompts(options).all()],
  "resources/list": ["resources", (client, options) => client.listResources(options).all()],
  "resources/templates/list": [
    "resourceTemplates",
    (client, options) => client.listResourceTemplates(options).all(),
  ],
  "resources/read": [
    "contents",
    async (client, options) => (await client.readResource({ uri: "file:///a" }, options)).contents,
  ],
};

type Hints = Record<string, unknown>;

/** A server that numbers its answers, so that a kept one can be told from a new one. */
function numbering(hints: Hints = { ttlMs: HOUR, cacheScope: "private" }) {
  let count = 0;
  return ({ method }: { method: string }): Exclude<Played, undefined> => {
    count += 1;
    const [member] = METHODS[method] ?? ["content"];
    return { result: { resultType: "complete", [member]: [{ name: `n${count}` }], ...hints } };
  };
}

const names = async (items: Promise<readonly unknown[]>): Promise<string[]> =>
  (await items).map((item) => (item as { name: string }).name);

describe.each(Object.entries(METHODS))("%s", (method, [, ask_]) => {
  test("is asked for once while it is fresh, and again when it is stale", async () => {
    const clock = new FakeClock();
    const link = new MemoryLink(numbering({ ttlMs: 1_000, cacheScope: "public" }));
    const client = await openClient(link, {}, clock);
    expect(await names(ask_(client))).toEqual(["n1"]);
    clock.advance(999);
    expect(await names(ask_(client))).toEqual(["n1"]);
    clock.advance(1);
    expect(await names(ask_(client))).toEqual(["n2"]);
    expect(link.sent.map((sent) => sent.method)).toEqual([method, method]);
  });

  test.each<[string, Hints]>([
    ["no hints", {}],
    ["0", { ttlMs: 0, cacheScope: "public" }],
    ["less than 0", { ttlMs: -1, cacheScope: "public" }],
    ["no number", { ttlMs: "1000", cacheScope: "public" }],
    ["not a number", { ttlMs: Number.NaN, cacheScope: "public" }],
  ])("is not kept with a time of %s", async (_name, hints) => {
    const client = await openClient(new MemoryLink(numbering(hints)), {}, new FakeClock());
    expect(await names(ask_(client))).toEqual(["n1"]);
    expect(await names(ask_(client))).toEqual(["n2"]);
  });

  test("is kept for a day at most", async () => {
    const clock = new FakeClock();
    const link = new MemoryLink(numbering({ ttlMs: 1e15, cacheScope: "private" }));
    const client = await openClient(link, {}, clock);
    await ask_(client);
    clock.advance(24 * HOUR - 1);
    expect(await names(ask_(client))).toEqual(["n1"]);
    clock.advance(1);
    expect(await names(ask_(client))).toEqual(["n2"]);
  });

  test("can be asked for anew, and what comes takes the old one's place", async () => {
    const client = await openClient(new MemoryLink(numbering()), {}, new FakeClock());
    await ask_(client);
    expect(await names(ask_(client, { refresh: true }))).toEqual(["n2"]);
    expect(await names(ask_(client))).toEqual(["n2"]);
  });

  test("is never kept without a cache", async () => {
    const client = await openClient(new MemoryLink(numbering()), { cache: false });
    await ask_(client);
    expect(await names(ask_(client))).toEqual(["n2"]);
  });

  test("is given as a copy that its caller may change", async () => {
    const client = await openClient(new MemoryLink(numbering()), {}, new FakeClock());
    await ask_(client);
    const items = await ask_(client);
    items.push("more");
    (items[0] as { name: string }).name = "changed";
    expect(await names(ask_(client))).toEqual(["n1"]);
  });

  test("is not kept where it is an error, or no result", async () => {
    const answers: Exclude<Played, undefined>[] = [
      { error: { code: -32603, message: "no" } },
      { result: { resultType: "complete", ttlMs: HOUR, cacheScope: "private" } },
      { status: 503 },
      numbering()({ method }),
    ];
    const link = new MemoryLink(() => answers.shift());
    const client = await openClient(link, {}, new FakeClock());
    for (const code of ["rpc", "result_invalid", "transport_failed"]) {
      await expect(ask_(client)).rejects.toMatchObject({ code });
    }
    expect(await names(ask_(client))).toEqual(["n1"]);
  });
});

describe("a kept result", () => {
  test("answers the same request only", async () => {
    const link = new MemoryLink(numbering());
    const client = await openClient(link, {}, new FakeClock());
    const read = (uri: string, _meta?: Record<string, unknown>) =>
      client.readResource({ uri, _meta });
    for (let time = 0; time < 2; time++) {
      await read("file:///a");
      await read("file:///a", { "x/tenant": "one" });
      await read("file:///a", { "x/tenant": "two" });
      await read("file:///b");
      // Where a request comes from says nothing about its result.
      await read("file:///b", { traceparent: `00-${time}`, tracestate: "x", baggage: "y" });
    }
    expect(link.sent).toHaveLength(4);
  });

  test("is a page, kept on its own", async () => {
    const clock = new FakeClock();
    const link = new MemoryLink(({ params }) => {
      const page = params["cursor"] === undefined ? 1 : 2;
      return {
        result: {
          resultType: "complete",
          tools: [{ name: `p${page}`, inputSchema: { type: "object" } }],
          ttlMs: page * 1_000,
          cacheScope: "private",
          ...(page === 1 && { nextCursor: "" }),
        },
      };
    });
    const client = await openClient(link, {}, clock);
    for (const ms of [0, 999, 1]) {
      clock.advance(ms);
      expect(await names(client.listTools().all())).toEqual(["p1", "p2"]);
    }
    expect(link.sent.map(({ params }) => params["cursor"])).toEqual([undefined, "", undefined]);
  });

  test("that leads to a cursor the server no longer knows is dropped with all pages", async () => {
    const clock = new FakeClock();
    let epoch = 1;
    const link = new MemoryLink(({ params }) => {
      const { cursor } = params;
      if (cursor !== undefined && cursor !== `c${epoch}`) {
        return { error: { code: -32602, message: "unknown cursor" } };
      }
      const tools = [{ name: `${epoch}${cursor === undefined ? "a" : "b"}` }];
      const hints = { ttlMs: cursor === undefined ? HOUR : 1, cacheScope: "private" };
      const more = cursor === undefined ? { nextCursor: `c${epoch}` } : {};
      return { result: { resultType: "complete", tools, ...hints, ...more } };
    });
    const client = await openClient(link, {}, clock);
    expect(await names(client.listTools().all())).toEqual(["1a", "1b"]);
    clock.advance(1);
    epoch = 2;
    expect(await names(client.listTools().all())).toEqual(["2a", "2b"]);
  });

  test("is no round, and needs no server; a closed client has none", async () => {
    const rounds: number[] = [];
    const link = new MemoryLink(numbering());
    const options = { onRound: ({ id }: { id: number }) => rounds.push(id) };
    const client = await openClient(link, options, new FakeClock());
    await client.readResource({ uri: "file:///a" });
    await client.readResource({ uri: "file:///a" });
    expect(rounds).toHaveLength(1);
    const aborted = { signal: AbortSignal.abort() };
    const call = { uri: "file:///a" };
    await expect(client.readResource(call, aborted)).rejects.toMatchObject({ code: "aborted" });
    await client.close();
    await expect(client.readResource(call)).rejects.toMatchObject({ code: "aborted" });
  });

  test("is none of a call's or a completion's", async () => {
    const completion = { values: ["x"] };
    const hints = { ttlMs: HOUR, cacheScope: "public" };
    const link = new MemoryLink(() => ({
      result: { resultType: "complete", content: [], messages: [], completion, ...hints },
    }));
    const client = await openClient(link, {}, new FakeClock());
    for (let time = 0; time < 2; time++) {
      await client.callTool({ name: "t" });
      await client.getPrompt({ name: "p" });
      await client.complete({
        ref: { type: "ref/prompt", name: "p" },
        argument: { name: "a", value: "" },
      });
    }
    expect(link.sent).toHaveLength(6);
  });

  test("was not on its way when the server told of a change", async () => {
    const pages = numbering();
    const link = new MemoryLink(() => undefined);
    const cache = new ResponseCache();
    const client = await openClient(link, { cache }, new FakeClock());
    const listing = client.listTools().all();
    while (link.sent.length === 0) await Promise.resolve();
    cache.clear();
    link.sent[0]?.answer(pages({ method: "tools/list" }));
    await listing;
    expect(cache.entries).toBe(0);
  });
});

test("what the server said of itself when the client connected is kept, too", async () => {
  const said = { ...DISCOVERY, ttlMs: HOUR, cacheScope: "public" };
  const server = await scripted(
    () => ({ error: {} }),
    () => ({ result: said }),
  );
  const cache = new ResponseCache();
  const [one, two] = [await connect(server.url, { cache }), await connect(server.url, { cache })];
  expect(server.all).toHaveLength(2); // a client that connects asks the server itself
  expect(await one.discover()).toEqual(said);
  await two.discover();
  expect(server.all).toHaveLength(2);
  await Promise.all([one.close(), two.close()]);
});

describe("a resource that was read in several rounds", () => {
  const contents = [{ uri: "file:///a", text: "for your eyes" }];
  const read = { resultType: "complete", contents, ttlMs: HOUR, cacheScope: "public" };

  test.each([
    ["answers", { q: form("?") }, undefined],
    ["answers and state", { q: form("?") }, "s"],
    ["state alone", undefined, "s"],
  ])("is never kept, with %s", async (_name, questions, state) => {
    const server = await scripted(({ params }) =>
      params.inputResponses === undefined && params.requestState === undefined
        ? ask(questions, state)
        : { result: read },
    );
    const cache = new ResponseCache();
    const client = await connect(server.url, {
      cache,
      answer: { form: () => ({ action: "accept" }) },
    });
    for (let time = 0; time < 2; time++) await client.readResource({ uri: "file:///a" });
    const turn = await client.begin("resources/read", { uri: "file:///a" });
    expect(turn.kind).toBe("input_required"); // and not what the others came to
    await client.close();
    expect(server.requests).toHaveLength(5);
    expect(cache.entries).toBe(0);
  });
});

test("a refused call's headers are not looked up in a list that was kept", async () => {
  let header = "Old";
  const server = await scripted(({ method, id, headers }) => {
    const inputSchema = {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": header } },
    };
    const tools = [{ name: "t", inputSchema }];
    if (method === "tools/list") {
      return { result: { resultType: "complete", tools, ttlMs: HOUR, cacheScope: "private" } };
    }
    if (`mcp-param-${header.toLowerCase()}` in headers) {
      return { result: { resultType: "complete", content: [] } };
    }
    const error = { code: -32020, message: "Header mismatch" };
    return { raw: (to) => json(to, 400, { jsonrpc: "2.0", id, error }) };
  });
  const client = await connect(server.url);
  const call = { name: "t", arguments: { region: "r" } };
  await client.listTools().all();
  header = "New";
  await client.callTool(call);
  await client.listTools().all(); // the list that was kept before the mismatch would unteach it
  await client.callTool(call);
  await client.close();
  expect(server.requests.map(({ method }) => method.replace("tools/", ""))).toEqual([
    ...["list", "call", "list", "call"],
    ...["list", "call"],
  ]);
});

test("a client learns from a list of another's which headers to send", async () => {
  const inputSchema = {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
  };
  const server = await scripted(({ method }) =>
    method === "tools/list"
      ? {
          result: {
            resultType: "complete",
            tools: [{ name: "t", inputSchema }],
            ttlMs: HOUR,
            cacheScope: "public",
          },
        }
      : { result: { resultType: "complete", content: [] } },
  );
  const cache = new ResponseCache();
  for (let index = 0; index < 2; index++) {
    const client = await connect(server.url, { cache });
    await client.listTools().all();
    await client.callTool({ name: "t", arguments: { region: "r" } });
    await client.close();
  }
  expect(server.requests).toHaveLength(3);
  expect(server.requests[2]?.headers["mcp-param-region"]).toBe("r");
});
