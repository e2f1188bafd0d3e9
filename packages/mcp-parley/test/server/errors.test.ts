import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { RpcError, createMcpServer, text } from "../../src/entry/index.js";
import type { McpServer } from "../../src/entry/index.js";
import { request, send } from "../support/caller.js";
import { headersOf, hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";
import { DOORS, json } from "../transport/doors.js";
import { memoryLogger } from "../transport/fixtures.js";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function hostOf(server: McpServer, kind = "in memory"): Promise<Host> {
  const host = await hosts[kind]?.(() => server, false);
  if (host === undefined) throw new Error("no host");
  ends.push(() => host.close());
  return host;
}

/** A server whose tool, prompt and resource fail as they are told. */
function failing(fail: () => never, log = memoryLogger()): McpServer {
  return createMcpServer({ name: "failing", version: "1" }, { log })
    .tool("t", {}, fail)
    .prompt("p", {}, fail)
    .resource("r", "r://1", {}, fail);
}

const REQUESTS: [string, Wire][] = [
  ["tools/call", { name: "t" }],
  ["prompts/get", { name: "p" }],
  ["resources/read", { uri: "r://1" }],
];

describe("a handler's error", () => {
  it.each([-32000, -32002, -32020, -32021, -32022, -32042, -32768, 1.5])(
    "under the code %s stays in the server",
    async (code) => {
      const log = memoryLogger();
      const host = await hostOf(
        failing(() => {
          throw new RpcError(code, "from upstream");
        }, log),
      );
      for (const [method, params] of REQUESTS) {
        const turn = await send(host, request(method, params));
        expect(JSON.stringify(turn)).not.toContain("from upstream");
        if (method === "tools/call") expect(turn.result).toMatchObject({ isError: true });
        else expect(turn.error).toEqual({ code: -32603, message: "Internal error" });
      }
      expect(log.lines).toHaveLength(3);
      for (const { cause } of log.lines) {
        expect(cause).toMatchObject({
          code: "usage",
          message: expect.stringContaining(String(code)) as string,
          cause: expect.objectContaining({ message: "from upstream" }) as unknown,
        });
      }
    },
  );

  it.each([-32602, 7001])("under the code %s goes out as it is", async (code) => {
    const log = memoryLogger();
    const host = await hostOf(
      failing(() => {
        throw new RpcError(code, "told", { a: 1 });
      }, log),
    );
    for (const [method, params] of REQUESTS) {
      const { error } = await send(host, request(method, params));
      expect(error).toEqual({ code, message: "told", data: { a: 1 } });
    }
    expect(log.lines).toEqual([]);
  });

  it("that was meant for nobody is an internal one", async () => {
    const host = await hostOf(
      failing(() => {
        throw new Error("password=hunter2");
      }),
    );
    for (const [method, params] of REQUESTS.slice(1)) {
      const { error } = await send(host, request(method, params));
      expect(error).toEqual({ code: -32603, message: "Internal error" });
    }
  });
});

describe("what a client got wrong is invalid params", () => {
  const server = (): McpServer =>
    createMcpServer({ name: "strict", version: "1" }, { log: false })
      .tool("t", {}, () => text("x"))
      .prompt("p", { argsSchema: z.object({ city: z.string() }) }, () => ({ messages: [] }))
      .resource("r", "r://1", {}, () => "x");

  it.each<[string, string, Wire]>([
    ["a tool nobody has", "tools/call", { name: "other" }],
    ["a tool without a name", "tools/call", {}],
    ["a prompt nobody has", "prompts/get", { name: "other" }],
    ["a prompt without an argument it needs", "prompts/get", { name: "p", arguments: {} }],
    ["a resource nobody has", "resources/read", { uri: "r://2" }],
    ["what is no URI at all", "resources/read", { uri: "../../etc/passwd" }],
    [
      "a completion for a prompt nobody has",
      "completion/complete",
      { ref: { type: "ref/prompt", name: "other" }, argument: { name: "a", value: "" } },
    ],
    [
      "a completion without an argument",
      "completion/complete",
      { ref: { type: "ref/prompt", name: "p" } },
    ],
  ])("%s", async (_, method, params) => {
    const { error, result } = await send(await hostOf(server()), request(method, params));
    expect(result).toBeUndefined();
    expect(error?.code).toBe(-32602);
  });
});

describe.each(DOORS)("over HTTP (%s)", (_, openDoor) => {
  it.each<[string, (meta: Wire) => unknown]>([
    ["_meta", () => undefined],
    ["the revision", ({ ["io.modelcontextprotocol/protocolVersion"]: _gone, ...rest }) => rest],
    ["capabilities", ({ ["io.modelcontextprotocol/clientCapabilities"]: _gone, ...rest }) => rest],
  ])("a request without %s is 400 and -32602", async (_what, change) => {
    const server = createMcpServer({ name: "s", version: "1" }, { log: false });
    const door = await openDoor(server.tool("t", {}, () => text("x")));
    ends.push(() => door.close());
    const whole = request("tools/list");
    const params = whole["params"] as Wire;
    const message = { ...whole, params: { ...params, _meta: change(params["_meta"] as Wire) } };
    const got = await door.send({
      headers: headersOf(message, undefined),
      body: JSON.stringify(message),
    });
    expect(got.status).toBe(400);
    expect(await json(got)).toMatchObject({ id: whole["id"], error: { code: -32602 } });
  });
});

it.each(["in memory", "stdio"])(
  "another revision is refused with those that are spoken, over %s",
  async (kind) => {
    const host = await hostOf(
      createMcpServer({ name: "s", version: "1" }, { log: false }).tool("t", {}, () => text("x")),
      kind,
    );
    for (const version of ["2025-11-25", "2999-01-01"]) {
      const _meta = { "io.modelcontextprotocol/protocolVersion": version };
      for (const method of ["tools/list", "server/discover", "no/such"]) {
        expect((await send(host, request(method, { _meta }))).error).toMatchObject({
          code: -32022,
          data: { supported: ["2026-07-28"], requested: version },
        });
      }
    }
  },
);
