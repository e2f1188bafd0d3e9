import { PassThrough } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { createMcpServer, form, link, roots, sample, text } from "../../src/entry/index.js";
import type { McpServer } from "../../src/entry/index.js";
import { serveStdio } from "../../src/transport/stdio.js";
import { accept, request } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { deferred } from "./fixtures.js";

/** A server's two streams, and all that it wrote. */
function converse(server: McpServer) {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines: Wire[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (piece: string) => {
    const whole = (rest + piece).split("\n");
    rest = whole.pop() ?? "";
    for (const line of whole) lines.push(JSON.parse(line) as Wire);
    heard?.();
  });
  let heard: (() => void) | undefined;
  const over = serveStdio(server, { input, output });
  ends.push(async () => {
    input.end();
    await over;
    server.close();
  });
  return {
    lines,
    send: (message: unknown) => input.write(`${JSON.stringify(message)}\n`),
    async until(isThere: (line: Wire) => boolean): Promise<Wire> {
      for (;;) {
        const found = lines.find(isThere);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => (heard = resolve));
      }
    },
  };
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("a server that closes cancels its subscriptions, and no call", async () => {
  const gate = deferred();
  const begun = deferred();
  const server = createMcpServer({ name: "s", version: "1" }, { log: false }).tool(
    "waits",
    {},
    async () => {
      begun.resolve();
      await gate.promise;
      return text("done");
    },
  );
  const { lines, send, until } = converse(server);
  const call = request("tools/call", { name: "waits" });
  const listen = request("subscriptions/listen", { notifications: { toolsListChanged: true } });
  send(listen);
  send(call);
  await begun.promise;
  server.close();
  expect(await until(({ id }) => id === listen["id"])).toMatchObject({
    result: { resultType: "complete" },
  });
  gate.resolve();
  expect(await until(({ id }) => id === call["id"])).toMatchObject({
    result: { content: [{ text: "done" }] },
  });
  const cancelled = lines.filter(({ method }) => method === "notifications/cancelled");
  expect(cancelled).toMatchObject([{ params: { requestId: listen["id"] } }]);
});

test("whatever a handler asks, nothing goes out but responses and notifications", async () => {
  const server = createMcpServer({ name: "s", version: "1" }, { log: false }).tool(
    "asks",
    {},
    async (_, call) => {
      call.progress(1);
      const message = { role: "user" as const, content: { type: "text" as const, text: "Hi" } };
      await Promise.all([
        call.ask("form", form("Sure?")),
        call.ask("link", link("Pay", "https://example.com/")),
        call.ask("model", sample({ messages: [message], maxTokens: 5 })),
        call.ask("roots", roots()),
      ]);
      return text("done");
    },
  );
  const { lines, send, until } = converse(server);
  const _meta = { progressToken: "p" };
  const first = request("tools/call", { name: "asks", _meta });
  send(first);
  const { result } = await until(({ id }) => id === first["id"]);
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: Wire };
  expect(Object.keys(inputRequests).sort()).toEqual(["form", "link", "model", "roots"]);
  const inputResponses = {
    form: accept(),
    link: { action: "accept" },
    model: { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" },
    roots: { roots: [] },
  };
  const retry = request("tools/call", { name: "asks", requestState, inputResponses, _meta });
  send(retry);
  expect(await until(({ id }) => id === retry["id"])).toMatchObject({
    result: { resultType: "complete" },
  });
  expect(lines.map((line) => ("method" in line ? "id" in line : "result" in line))).toEqual([
    false, // progress: a method without an id
    true,
    false,
    true,
  ]);
});
