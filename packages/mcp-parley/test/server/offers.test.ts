import { afterEach, describe, expect, it } from "vitest";
import { createMcpServer, text } from "../../src/entry/index.js";
import type { McpServer, ServerOptions } from "../../src/entry/index.js";
import { request, send } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function server(options: ServerOptions = {}): McpServer {
  const one = createMcpServer({ name: "offers", version: "1" }, { log: false, ...options });
  ends.push(() => one.close());
  return one;
}

async function hostOf(one: McpServer): Promise<Host> {
  const host = await hosts["in memory"]?.(() => one, false);
  if (host === undefined) throw new Error("no host");
  return host;
}

const ask = async (one: McpServer, method: string, params: Wire = {}): Promise<Turn> =>
  send(await hostOf(one), request(method, params));

const nothing = { messages: [] };
const usage = expect.objectContaining({ code: "usage" }) as Error;

/** How one thing of each kind is added, and where its list is. */
const KINDS: [string, string, (one: McpServer, name: string) => McpServer][] = [
  ["tools", "tools", (one, name) => one.tool(name, {}, () => text("x"))],
  ["prompts", "prompts", (one, name) => one.prompt(name, {}, () => nothing)],
  ["resources", "resources", (one, name) => one.resource(name, `r://${name}`, {}, () => "x")],
  [
    "templates",
    "resources",
    (one, name) => one.resourceTemplate(name, `${name}://{id}`, {}, () => "x"),
  ],
];

describe("what a server declares", () => {
  const declared = async (one: McpServer): Promise<unknown> =>
    (await ask(one, "server/discover")).result?.["capabilities"];

  it.each(KINDS)("is %s once it has some, and not before", async (_, capability, add) => {
    expect(await declared(server())).toEqual({ logging: {}, completions: {} });
    const of = capability === "resources" ? { subscribe: true } : {};
    expect(await declared(add(server(), "a"))).toEqual({
      logging: {},
      completions: {},
      [capability]: { listChanged: true, ...of },
    });
  });
});

it.each(KINDS)("a subscription hears of %s that are added", async (_, capability, add) => {
  const one = add(server(), "a");
  const heard: Wire[] = [];
  const wanted = { [`${capability}ListChanged`]: true };
  void one.dispatch(request("subscriptions/listen", { notifications: wanted }), {
    principal: undefined,
    signal: new AbortController().signal,
    notify: (line) => void heard.push(JSON.parse(line) as Wire),
  });
  add(one, "b");
  await Promise.resolve();
  expect(heard.slice(1).map(({ method }) => method)).toEqual([
    `notifications/${capability}/list_changed`,
  ]);
});

it("a subscription carries no log messages, whatever level it names", async () => {
  const one = server().tool("talks", {}, (_, call) => {
    call.log("emergency", "all is lost");
    one.resourceUpdated("r://1");
    return text("x");
  });
  one.resource("r", "r://1", {}, () => "x");
  const heard: Wire[] = [];
  const _meta = { "io.modelcontextprotocol/logLevel": "debug", progressToken: 1 };
  const notifications = { resourceSubscriptions: ["r://1"] };
  void one.dispatch(request("subscriptions/listen", { notifications, _meta }), {
    principal: undefined,
    signal: new AbortController().signal,
    notify: (line) => void heard.push(JSON.parse(line) as Wire),
  });
  const { notified } = await ask(one, "tools/call", { name: "talks", _meta });
  expect(notified.map(({ method }) => method)).toEqual(["notifications/message"]);
  expect(heard.slice(1).map(({ method }) => method)).toEqual(["notifications/resources/updated"]);
});

describe("names", () => {
  it.each(KINDS.slice(0, 3))("of %s are given once", (_, _capability, add) => {
    const one = add(server(), "a");
    expect(() => add(one, "a")).toThrow(usage);
    add(one, "A");
  });

  it("of tools are told apart by case", async () => {
    const one = server()
      .tool("echo", {}, () => text("small"))
      .tool("ECHO", {}, () => text("large"));
    expect((await ask(one, "tools/call", { name: "ECHO" })).result).toMatchObject({
      content: [{ text: "large" }],
    });
    expect((await ask(one, "tools/call", { name: "Echo" })).error?.code).toBe(-32602);
  });

  it.each(["not a uri", "no-scheme", "//host/path", "1a:x"])(
    "of resources are URIs, not %j",
    (uri) => {
      expect(() => server().resource("r", uri, {}, () => "x")).toThrow(usage);
    },
  );
});

it("a resource without contents is an error, never an empty list", async () => {
  const one = server()
    .resource("r", "r://1", {}, () => ({ contents: [] }))
    .resourceTemplate("f", "f://{id}", {}, () => ({ contents: [] }));
  for (const uri of ["r://1", "f://1"]) {
    const { result, error } = await ask(one, "resources/read", { uri });
    expect(result).toBeUndefined();
    expect(error?.code).toBe(-32603);
  }
  expect((await ask(one, "resources/read", { uri: "r://2" })).error?.code).toBe(-32602);
});

describe("what not everyone sees", () => {
  const admin = { issuer: "i", subject: "admin" };
  const visible = (who: { subject: string } | undefined): boolean => who?.subject === "admin";

  it("is not completed for who may not see it", async () => {
    const complete = { a: () => ["secret"] };
    const one = server()
      .prompt("closed", { visible, complete }, () => nothing)
      .resourceTemplate("closed", "closed://{a}", { visible, complete }, () => "x");
    const host = await hostOf(one);
    for (const ref of [
      { type: "ref/prompt", name: "closed" },
      { type: "ref/resource", uri: "closed://{a}" },
    ]) {
      const asked = request("completion/complete", { ref, argument: { name: "a", value: "" } });
      expect((await send(host, asked)).error?.code).toBe(-32602);
      expect((await send(host, asked, admin)).result).toMatchObject({
        completion: { values: ["secret"] },
      });
    }
  });

  it("makes every page of its list private", async () => {
    const one = server({ pageSize: 1, cache: { ttlMs: 1000, cacheScope: "public" } })
      .tool("open", {}, () => text("x"))
      .tool("closed", { visible }, () => text("x"))
      .tool("also-open", {}, () => text("x"))
      .prompt("p", {}, () => nothing)
      .prompt("q", {}, () => nothing);
    const host = await hostOf(one);
    const scopes = async (method: string): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (let cursor: unknown; ;) {
        const { result } = await send(
          host,
          request(method, cursor === undefined ? {} : { cursor }),
        );
        seen.push(result?.["cacheScope"]);
        cursor = result?.["nextCursor"];
        if (cursor === undefined) return seen;
      }
    };
    expect(await scopes("tools/list")).toEqual(["private", "private"]);
    expect(await scopes("prompts/list")).toEqual(["public", "public"]);
  });
});
