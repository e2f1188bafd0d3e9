import { afterEach, describe, expect, it } from "vitest";
import { createMcpServer, form, text } from "../../src/entry/index.js";
import type { McpServer } from "../../src/entry/index.js";
import { ALL_CAPABILITIES, accept, answer, request, send, textOf } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host } from "../support/hosts.js";

const open: Host[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((host) => host.close()));
});

function server(): McpServer {
  return createMcpServer({ name: "stateless", version: "1" }, { log: false })
    .tool("asks", {}, async (_, call) => {
      call.log("error", "about to ask");
      call.progress(1);
      await call.ask("sure", form("Sure?"));
      return text("done");
    })
    .tool("other", {}, () => text("other"))
    .prompt("p", {}, () => ({ messages: [] }))
    .resource("r", "r://1", {}, () => "x");
}

describe.each(Object.keys(hosts))("over %s", (kind) => {
  /** A connection of its own to this server. */
  async function connection(one: McpServer): Promise<Host> {
    const host = await hosts[kind]?.(() => one, false);
    if (host === undefined) throw new Error("no host");
    open.push(host);
    return host;
  }

  it("what one request declared does not count for the next", async () => {
    const host = await connection(server());
    const loud = { progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" };
    const call = { name: "asks", arguments: {} };
    const able = request("tools/call", { ...call, _meta: loud }, ALL_CAPABILITIES);
    const first = await send(host, able);
    expect(first.result).toMatchObject({ resultType: "input_required" });
    expect(first.notified).toHaveLength(2);
    const second = await send(host, request("tools/call", call, {}));
    expect(second.error).toMatchObject({ code: -32021 });
    expect(second.notified).toEqual([]);
  });

  it("a call goes on over another connection", async () => {
    const one = server();
    const call = { name: "asks", arguments: {} };
    const { result } = await send(await connection(one), request("tools/call", call));
    const retry = { ...call, ...answer(result ?? {}, { sure: accept() }) };
    const last = await send(await connection(one), request("tools/call", retry));
    expect(textOf(last)).toBe("done");
  });

  it("lists are the same on each connection, whatever was asked there before", async () => {
    const one = server();
    const used = await connection(one);
    const listed = async (host: Host): Promise<unknown[]> =>
      Promise.all(
        ["tools/list", "prompts/list", "resources/list"].map(
          async (method) => (await send(host, request(method))).result,
        ),
      );
    const before = await listed(used);
    await send(used, request("tools/call", { name: "asks", arguments: {} }));
    await send(used, request("resources/read", { uri: "r://1" }, {}));
    expect(await listed(used)).toEqual(before);
    expect(await listed(await connection(one))).toEqual(before);
  });

  it("a handshake of old is told which revision this is", async () => {
    const { error } = await send(await connection(server()), {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "old", version: "1" },
      },
    });
    expect(error?.message).toContain("2026-07-28");
    expect(error?.data?.["supported"]).toEqual(["2026-07-28"]);
  });
});
