import { describe, expect, test } from "vitest";
import { connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import { ask, form, scripted, stream } from "./scripted.js";
import { connectUndici } from "../support/undici.js";

const done = (id: unknown) => ({
  jsonrpc: "2.0",
  id,
  result: { resultType: "complete", content: [] },
});
const progress = (progressToken: unknown, value: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken, progress: value, total: 10 },
});
const log = (data: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data },
});

describe.each([
  ["node", connect],
  ["undici", connectUndici],
  ["fetch", connectFetch],
])("over %s", (_transport, open) => {
  test("progress reaches the one who asked for it, by a token of each request", async () => {
    const server = await scripted(({ id, params }, index) => {
      if (index === 0) return ask({ q: form("?") });
      const { progressToken } = params._meta as { progressToken: number };
      return {
        raw: (to) => {
          stream(to, [
            progress(progressToken, 1),
            progress("someone else's", 2),
            progress(progressToken, "no number"),
            log("unasked"),
            progress(progressToken, 10),
            done(id),
          ]);
        },
      };
    });
    const client = await open(server.url, { answer: { form: () => ({ action: "accept" }) } });
    const seen: number[] = [];
    const logs: unknown[] = [];
    await client.callTool(
      { name: "t" },
      { onProgress: (p) => seen.push(p.progress), onLog: (message) => logs.push(message) },
    );
    await client.close();
    expect(seen).toEqual([1, 10]);
    expect(logs).toEqual([]); // no level was asked for, so that a server must not send any
    const tokens = server.requests.map(({ params }) => params._meta["progressToken"]);
    expect(new Set(tokens).size).toBe(2);
  });

  test("without a listener no token is sent, and a caller's own stays", async () => {
    const server = await scripted(({ id }) => ({ raw: (to) => stream(to, [done(id)]) }));
    const client = await open(server.url);
    await client.callTool({ name: "t" });
    await client.callTool({ name: "t", _meta: { progressToken: "mine" } });
    await client.close();
    expect(server.requests[0]?.params._meta).not.toHaveProperty("progressToken");
    expect(server.requests[1]?.params._meta["progressToken"]).toBe("mine");
  });

  test("log messages are asked for by level, and given to the listener", async () => {
    const server = await scripted(({ id }) => ({
      raw: (to) => stream(to, [log("one"), log({ two: 2 }), done(id)]),
    }));
    const client = await open(server.url);
    const logs: unknown[] = [];
    await client.callTool(
      { name: "t" },
      { logLevel: "info", onLog: ({ data }) => logs.push(data) },
    );
    await client.close();
    expect(logs).toEqual(["one", { two: 2 }]);
    expect(server.requests[0]?.params._meta["io.modelcontextprotocol/logLevel"]).toBe("info");
  });

  test("a listener that throws ends its own call, with what it threw", async () => {
    const server = await scripted(({ id, params }) => ({
      raw: (to) =>
        stream(to, [
          progress((params._meta as { progressToken: unknown }).progressToken, 1),
          done(id),
        ]),
    }));
    const client = await open(server.url);
    const failure = new Error("boom");
    const onProgress = () => {
      throw failure;
    };
    await expect(client.callTool({ name: "t" }, { onProgress })).rejects.toBe(failure);
    await expect(client.callTool({ name: "t" })).resolves.toBeDefined();
    await expect(
      client.callTool(
        { name: "t" },
        {
          onRound: () => {
            throw failure;
          },
        },
      ),
    ).rejects.toBe(failure);
    await client.close();
  });
});
