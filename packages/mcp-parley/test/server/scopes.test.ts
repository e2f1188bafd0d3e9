import { afterEach, describe, expect, it } from "vitest";
import { createMcpServer, form, text } from "../../src/entry/index.js";
import type { McpServer, Principal } from "../../src/entry/index.js";
import { accept, answer, drive, request, send } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

let ran: number;

function server(): McpServer {
  ran = 0;
  const run = (): string => {
    ran += 1;
    return "x";
  };
  const scopes = ["read", "write"];
  const cache = { ttlMs: 1000, cacheScope: "public" } as const;
  const complete = { part: () => [run()] };
  return createMcpServer({ name: "scoped", version: "1" }, { log: false })
    .tool("open", {}, () => text("x"))
    .tool("known", { scopes: [] }, () => text(run()))
    .tool("tool", { scopes }, () => text(run()))
    .tool("asks", { scopes }, async (_, call) => {
      await call.ask("sure", form("Sure?"));
      return text(run());
    })
    .prompt("prompt", { scopes, complete }, () => ({
      messages: [{ role: "user", content: { type: "text", text: run() } }],
    }))
    .resource("resource", "r://1", { scopes, cache }, run)
    .resourceTemplate("family", "f://{part}", { scopes, complete }, run);
}

async function host(kind = "in memory"): Promise<Host> {
  const made = await hosts[kind]?.(server, false);
  if (made === undefined) throw new Error(`no host ${kind}`);
  ended.push(() => made.close());
  return made;
}

const as = (...scopes: string[]): Principal => ({ issuer: "i", subject: "ada", scopes });

const GUARDED: [string, string, Wire][] = [
  ["a tool", "tools/call", { name: "tool", arguments: {} }],
  ["a tool that asks", "tools/call", { name: "asks", arguments: {} }],
  ["a prompt", "prompts/get", { name: "prompt" }],
  ["a resource", "resources/read", { uri: "r://1" }],
  ["a resource of a family", "resources/read", { uri: "f://1" }],
  [
    "a prompt's completion",
    "completion/complete",
    { ref: { type: "ref/prompt", name: "prompt" }, argument: { name: "part", value: "" } },
  ],
  [
    "a family's completion",
    "completion/complete",
    { ref: { type: "ref/resource", uri: "f://{part}" }, argument: { name: "part", value: "" } },
  ],
];

const LACKING = { code: 1005, data: { scopes: ["read", "write"] } };

describe.each(GUARDED)("%s that needs scopes", (_, method, params) => {
  it.each<[string, Principal | undefined]>([
    ["nobody", undefined],
    ["a caller of whom no scopes are known", { issuer: "i", subject: "ada" }],
    ["a caller without any", as()],
    ["a caller with one of them", as("read")],
    ["a caller with others", as("read write", "reads", "WRITE")],
  ])("is not run for %s", async (_caller, principal) => {
    const { error, result } = await send(await host(), request(method, params), principal);
    expect(error).toMatchObject(LACKING);
    expect(result).toBeUndefined();
    expect(ran).toBe(0);
  });

  it("is run for a caller who has them, and more", async () => {
    const flow = await drive(
      await host(),
      method,
      params,
      { sure: accept() },
      { principal: as("write", "more", "read") },
    );
    expect(flow.last.error).toBeUndefined();
    expect(ran).toBe(1);
  });
});

it.each(Object.keys(hosts))(
  "through %s a call that lacks scopes is the same error",
  async (kind) => {
    const { error } = await send(await host(kind), request("tools/call", { name: "tool" }));
    expect(error).toMatchObject(LACKING);
  },
);

it("no scopes at all let in whoever is known", async () => {
  const to = await host();
  const call = request("tools/call", { name: "known" });
  expect((await send(to, call)).error).toMatchObject({ code: 1005, data: { scopes: [] } });
  expect((await send(to, call, { issuer: "i", subject: "ada" })).error).toBeUndefined();
});

it("what needs scopes is listed for everyone, and its scopes are not", async () => {
  const to = await host();
  for (const [method, list] of [
    ["tools/list", "tools"],
    ["prompts/list", "prompts"],
    ["resources/list", "resources"],
    ["resources/templates/list", "resourceTemplates"],
  ] as const) {
    const { result } = await send(to, request(method));
    const items = result?.[list] as Wire[];
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(item).not.toHaveProperty("scopes");
  }
});

it("a resource that needs scopes is not for shared caches, whatever its hints say", async () => {
  const { result } = await send(
    await host(),
    request("resources/read", { uri: "r://1" }),
    as("read", "write"),
  );
  expect(result).toMatchObject({ ttlMs: 1000, cacheScope: "private" });
});

it("a resource is watched by who may read it", () => {
  const one = server();
  ended.push(() => one.close());
  const watched = (principal: Principal): unknown => {
    const heard: Wire[] = [];
    const notifications = { resourceSubscriptions: ["r://1"] };
    void one.dispatch(request("subscriptions/listen", { notifications }), {
      principal,
      signal: new AbortController().signal,
      notify: (line) => void heard.push(JSON.parse(line) as Wire),
    });
    return (heard[0]?.["params"] as Wire)["notifications"];
  };
  expect(watched(as("read"))).toEqual({});
  expect(watched(as("read", "write"))).toEqual({ resourceSubscriptions: ["r://1"] });
});

it("a flow whose caller's scopes shrink stops unspent, and goes on when they are back", async () => {
  const to = await host();
  const call = { name: "asks", arguments: {} };
  const first = await send(to, request("tools/call", call), as("read", "write"));
  const extra = answer(first.result ?? {}, { sure: accept() });
  const retry = (principal: Principal): Promise<Turn> =>
    send(to, request("tools/call", { ...call, ...extra }), principal);
  expect((await retry(as("read"))).error).toMatchObject(LACKING);
  expect((await retry(as("write", "read", "new"))).result).toMatchObject({
    resultType: "complete",
  });
  expect(ran).toBe(1);
});

it.each(["two words", "", 'a"b', "a\\b", "ä", "offline_access"])("%j is no scope", (scope) => {
  const one = createMcpServer({ name: "scoped", version: "1" }, { log: false });
  ended.push(() => one.close());
  const usage = expect.objectContaining({ code: "usage" }) as Error;
  const scopes = ["fine", scope];
  expect(() => one.tool("t", { scopes }, () => text(""))).toThrow(usage);
  expect(() => one.prompt("p", { scopes }, () => ({ messages: [] }))).toThrow(usage);
  expect(() => one.resource("r", "r://1", { scopes }, () => "")).toThrow(usage);
  expect(() => one.resourceTemplate("f", "f://{a}", { scopes }, () => "")).toThrow(usage);
});
