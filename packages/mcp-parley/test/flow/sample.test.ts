import { describe, expect, it } from "vitest";
import { createMcpServer, form, sample, text } from "../../src/entry/index.js";
import type { ParleyEvent } from "../../src/entry/index.js";
import { ALL_CAPABILITIES, request, send } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import { memoryLogger } from "../transport/fixtures.js";

const hello = { type: "text" as const, text: "Hello" };
const user = (content: unknown): unknown => ({ role: "user", content });
const assistant = (content: unknown): unknown => ({ role: "assistant", content });
const use = { type: "tool_use", id: "1", name: "n", input: {} };
const used = { type: "tool_result", toolUseId: "1", content: [hello] };
const asked = (messages: unknown, more: object = {}): unknown =>
  sample({ messages, maxTokens: 5, ...more } as never);

describe("a sample", () => {
  it.each<[string, unknown]>([
    ["no messages", undefined],
    ["a message without a role", [{ content: hello }]],
    ["a message of somebody else's", [{ role: "system", content: hello }]],
    ["a message without content", [{ role: "user" }]],
    ["content of no kind", [user({ type: "video" })]],
    ["results mixed with text", [assistant(use), user([used, hello])]],
    ["a use nobody answers", [user(hello), assistant(use)]],
    ["a use answered late", [assistant(use), user(hello), user(used)]],
    ["one of two uses answered", [assistant([use, { ...use, id: "2" }]), user(used)]],
    ["a result of no use", [user(used)]],
    ["a result of the assistant's", [assistant(use), assistant(used)]],
  ])("is refused with %s", (_, messages) => {
    expect(() => asked(messages)).toThrow(expect.objectContaining({ code: "question_invalid" }));
  });

  it.each([undefined, 1.5, "5", NaN])("is refused with %j for maxTokens", (maxTokens) => {
    expect(() => asked([user(hello)], { maxTokens })).toThrow(
      expect.objectContaining({ code: "question_invalid" }),
    );
  });

  it.each<[string, unknown[]]>([
    ["a message", [user(hello)]],
    [
      "uses that are answered",
      [user(hello), assistant([hello, use]), user(used), assistant(hello)],
    ],
  ])("is asked with %s", (_, messages) => {
    expect(() => asked(messages)).not.toThrow();
  });

  it.each<[string, object, object]>([
    ["tools", { tools: [{ name: "n", inputSchema: { type: "object" } }] }, { tools: {} }],
    ["context of its server's", { includeContext: "thisServer" }, { context: {} }],
  ])("with %s goes to no client that has not declared that", async (_, more, needed) => {
    const server = createMcpServer({ name: "s", version: "1" }, { log: false }).tool(
      "asks",
      {},
      async (_args, call) => {
        await call.ask("model", asked([user(hello)], more) as never);
        return text("done");
      },
    );
    const host = await hosts["in memory"]?.(() => server, false);
    if (host === undefined) throw new Error("no host");
    const able = { ...ALL_CAPABILITIES, sampling: needed };
    const { result } = await send(host, request("tools/call", { name: "asks" }, able));
    expect(result).toMatchObject({ inputRequests: { model: { params: more } } });
    const plain = request("tools/call", { name: "asks" }, { sampling: {} });
    expect((await send(host, plain)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: needed } },
    });
    await host.close();
  });
});

describe("a form that asks for a secret", () => {
  it.each(["password", "apiKey", "access_token", "cardNumber"])(
    "in a field called %s is told of, to events and log",
    async (field) => {
      const log = memoryLogger();
      const warned: string[] = [];
      const events: ParleyEvent[] = [];
      const properties = {
        [field]: { type: "string" as const },
        city: { type: "string" as const },
      };
      const server = createMcpServer(
        { name: "s", version: "1" },
        {
          log: { ...log, warn: (message: string) => void warned.push(message) },
          onEvent: (event) => void events.push(event),
        },
      ).tool("asks", {}, async (_, call) => {
        await call.ask("key", form("Which?", { type: "object", properties }));
        return text("done");
      });
      const host = await hosts["in memory"]?.(() => server, false);
      if (host === undefined) throw new Error("no host");
      await send(host, request("tools/call", { name: "asks" }));
      const told = events.filter(({ type }) => type === "secret_asked");
      expect(told).toMatchObject([{ key: "key", field }]);
      expect(warned.filter((line) => line.includes(field))).toHaveLength(1);
      await host.close();
    },
  );
});
