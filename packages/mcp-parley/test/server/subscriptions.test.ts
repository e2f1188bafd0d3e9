import { afterEach, describe, expect, it } from "vitest";
import { createMcpServer, text } from "../../src/entry/index.js";
import type { McpServer } from "../../src/entry/index.js";
import { localBus } from "../../src/server/bus.js";
import { request } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";

const made: McpServer[] = [];

function server(bus = localBus()): McpServer {
  const one = createMcpServer({ name: "news", version: "1" }, { log: false, bus })
    .tool("t", {}, () => text("x"))
    .resource("plan", "plan://1", {}, () => "x");
  made.push(one);
  return one;
}

afterEach(() => {
  for (const each of made.splice(0)) each.close();
});

/** Opens a subscription and gathers what comes. */
function listen(on: McpServer, notifications: unknown) {
  const controller = new AbortController();
  const heard: Wire[] = [];
  const message = request("subscriptions/listen", { notifications });
  const reply = Promise.resolve(
    on.dispatch(message, {
      principal: undefined,
      signal: controller.signal,
      notify: (line) => void heard.push(JSON.parse(line) as Wire),
    }),
  ).then((answer) => JSON.parse(answer?.text ?? "{}") as Wire);
  return { id: message["id"], controller, heard, reply };
}

const methods = (heard: Wire[]): unknown[] => heard.map(({ method }) => method);

describe("a subscription", () => {
  it("is acknowledged first, with what the server can tell of, under its own id", () => {
    const { heard, id } = listen(server(), {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ["plan://1", "plan://unknown"],
    });
    expect(heard).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: {
          notifications: { toolsListChanged: true, resourceSubscriptions: ["plan://1"] },
          _meta: { "io.modelcontextprotocol/subscriptionId": id },
        },
      },
    ]);
  });

  it("hears what it asked for and nothing else", () => {
    const one = server();
    const tools = listen(one, { toolsListChanged: true });
    const plan = listen(one, { resourceSubscriptions: ["plan://1"] });
    one.listChanged("tools");
    one.listChanged("resources");
    one.resourceUpdated("plan://1");
    one.resourceUpdated("plan://2");
    expect(methods(tools.heard).slice(1)).toEqual(["notifications/tools/list_changed"]);
    expect(plan.heard.slice(1)).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/resources/updated",
        params: { uri: "plan://1", _meta: { "io.modelcontextprotocol/subscriptionId": plan.id } },
      },
    ]);
  });

  it("hears of a tool that is added", () => {
    const one = server();
    const { heard } = listen(one, { toolsListChanged: true });
    one.tool("another", {}, () => text("x"));
    expect(methods(heard)).toContain("notifications/tools/list_changed");
  });

  it("hears what another instance on the bus saw", () => {
    const bus = localBus();
    const { heard } = listen(server(bus), { resourceSubscriptions: ["plan://1"] });
    server(bus).resourceUpdated("plan://1");
    expect(methods(heard).slice(1)).toEqual(["notifications/resources/updated"]);
  });

  it("hears of all it asked for when something may have been missed", () => {
    const bus = localBus();
    const one = server(bus);
    const { heard } = listen(one, { toolsListChanged: true, resourceSubscriptions: ["plan://1"] });
    const other = listen(one, { resourcesListChanged: true });
    bus.publish({ kind: "missed" });
    expect(heard.slice(1).map(({ method, params }) => [method, (params as Wire)["uri"]])).toEqual([
      ["notifications/tools/list_changed", undefined],
      ["notifications/resources/updated", "plan://1"],
    ]);
    expect(methods(other.heard).slice(1)).toEqual(["notifications/resources/list_changed"]);
  });

  it("hears nothing after the client has ended it", async () => {
    const one = server();
    const { heard, controller, reply } = listen(one, { toolsListChanged: true });
    controller.abort();
    await reply;
    one.listChanged("tools");
    expect(heard).toHaveLength(1);
  });

  it("ends gracefully when the server closes", async () => {
    const one = server();
    const { heard, reply, id } = listen(one, { toolsListChanged: true });
    one.close();
    expect(heard.at(-1)).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: id },
    });
    expect(await reply).toMatchObject({
      id,
      result: { resultType: "complete", _meta: { "io.modelcontextprotocol/subscriptionId": id } },
    });
  });

  it.each([
    ["nothing", undefined],
    ["a list", []],
    ["a flag that is none", { toolsListChanged: 1 }],
    ["URIs that are none", { resourceSubscriptions: [1] }],
    ["too many URIs", { resourceSubscriptions: Array.from({ length: 1001 }, String) }],
  ])("is refused with %s for a filter", async (_, filter) => {
    const { heard, reply } = listen(server(), filter);
    expect(await reply).toMatchObject({ error: { code: -32602 } });
    expect(heard).toEqual([]);
  });
});
