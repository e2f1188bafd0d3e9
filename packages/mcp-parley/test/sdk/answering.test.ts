import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OUTCOME_META } from "../../src/server/failures.js";
import { accept, decline, drive, request, send, textOf } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { sdkHost } from "../support/sdk-host.js";
import type { SdkHost } from "../support/sdk-host.js";
import { sdkWorld } from "../support/sdk-janitor.js";
import type { SdkWorld } from "../support/sdk-janitor.js";

let world: SdkWorld;
let host: SdkHost;

beforeEach(() => {
  world = sdkWorld();
  host = sdkHost(world.make);
});
afterEach(async () => {
  await host.close();
  world.parley.close();
});

const tool = (name: string, args: Wire, capabilities?: Wire) =>
  send(host, request("tools/call", { name, arguments: args }, capabilities));
const prompt = (branch: string) =>
  drive(host, "prompts/get", { name: "review", arguments: { branch } }, { sure: accept() });

describe("what a handler throws", () => {
  it.each([
    ["user", "That branch is protected.", "user_error"],
    ["not done", "Nothing happened.", "not_done"],
    ["rpc", "Told as it is", "failed"],
    ["sdk", "Told as the SDK has it", "failed"],
  ])("is the tool's own error when it is meant for the user: %s", async (how, text, outcome) => {
    expect((await tool("fails", { how })).result).toMatchObject({
      content: [{ type: "text", text }],
      isError: true,
      _meta: { [OUTCOME_META]: outcome },
    });
  });

  it("is nothing to log when it says so itself", async () => {
    for (const how of ["user", "rpc"]) await tool("fails", { how });
    expect(world.errors).toEqual([]);
  });

  it("is kept back otherwise, and logged", async () => {
    const { result } = await tool("fails", { how: "other" });
    expect(result).toMatchObject({ isError: true, _meta: { [OUTCOME_META]: "failed" } });
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(world.errors).toContainEqual(new Error("password=hunter2"));
  });

  it("is a JSON-RPC error from a prompt, and kept back where it was not meant to be told", async () => {
    expect((await prompt("sdk")).last.error).toEqual({
      code: -32011,
      message: "Told as the SDK has it",
      data: { a: 1 },
    });
    const { error } = (await prompt("broken")).last;
    expect(error).toEqual({ code: -32603, message: "Internal error" });
  });

  it.each(["input", "nothing"])("is made of a result that is none: %s", async (how) => {
    expect((await tool("fails", { how })).result).toMatchObject({ isError: true });
    expect(world.errors).toContainEqual(expect.objectContaining({ code: "usage" }));
  });
});

describe("what a user declines", () => {
  it("ends a tool with a result that says so, a prompt with an error", async () => {
    const params = { name: "delete_branch", arguments: { branch: "old" } };
    const { last } = await drive(host, "tools/call", params, { sure: decline });
    expect(last.result).toMatchObject({ isError: true, _meta: { [OUTCOME_META]: "declined" } });
    const declined = { name: "review", arguments: { branch: "old" } };
    const { last: ended } = await drive(host, "prompts/get", declined, { sure: decline });
    expect(ended.error).toMatchObject({ code: 1001, data: { outcome: "declined" } });
  });
});

describe("a capability the client has not declared", () => {
  it.each([
    ["delete_branch", { branch: "old" }, {}, { elicitation: { form: {} } }],
    [
      "delete_branch",
      { branch: "old" },
      { elicitation: { url: {} } },
      { elicitation: { form: {} } },
    ],
    ["model", {}, { elicitation: {} }, { sampling: {} }],
  ])("is -32021 and names it: %s for %o with %o", async (name, args, capabilities, required) => {
    const message = request("tools/call", { name, arguments: args }, capabilities);
    expect((await send(host, message)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: required },
    });
    expect(await host.status(message)).toBe(400);
  });

  it("is the same from prompts and resources", async () => {
    for (const message of [
      request("prompts/get", { name: "review", arguments: { branch: "old" } }, {}),
      request("resources/read", { uri: "test://file/a" }, {}),
    ]) {
      expect((await send(host, message)).error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
    }
  });
});

describe("the call", () => {
  it("sends progress that grows and log messages that were asked for, and knows who calls", async () => {
    const _meta = { progressToken: "p1", "io.modelcontextprotocol/logLevel": "debug" };
    const message = request("tools/call", { name: "model", arguments: {}, _meta });
    const asked = await send(host, message, { issuer: "https://id.example", subject: "alice" });
    expect(asked.result).toMatchObject({ resultType: "input_required" });
    const progress = asked.notified.filter(({ method }) => method === "notifications/progress");
    expect(progress.map(({ params }) => params)).toEqual([
      { progressToken: "p1", progress: 1, total: 2, message: "thinking" },
      { progressToken: "p1", progress: 2, total: 2 },
    ]);
    const logged = asked.notified.filter(({ method }) => method === "notifications/message");
    expect(logged.map(({ params }) => params)).toEqual([
      { level: "info", data: { about: "the model" } },
    ]);
  });

  it("gets what a model answered", async () => {
    const content = { type: "text", text: "Hello" };
    const answer = { role: "assistant", model: "m1", content, stopReason: "endTurn" };
    const params = { name: "model", arguments: {} };
    const principal = { issuer: "https://id.example", subject: "alice" };
    const { last } = await drive(host, "tools/call", params, { ask: answer }, { principal });
    expect(textOf(last)).toBe("m1 answered alice");
  });
});

describe("a read", () => {
  it("that took answers may not be kept, one that took none as the SDK was told", async () => {
    const read = (name: string) =>
      drive(host, "resources/read", { uri: `test://file/${name}` }, { sure: accept() });
    expect((await read("open")).last.result).toMatchObject({
      contents: [{ text: "open" }],
      ttlMs: 60_000,
      cacheScope: "public",
    });
    expect((await read("a")).last.result).toMatchObject({
      contents: [{ text: "a" }],
      ttlMs: 0,
      cacheScope: "private",
    });
  });
});

describe("arguments that a schema makes something else of than JSON", () => {
  const args = { on: "2026-01-02", id: "7" };

  it("are refused, and the author is told what to do", async () => {
    expect((await tool("dated", args)).result).toMatchObject({ isError: true });
    expect(world.errors).toContainEqual(expect.stringContaining("`salient`"));
  });

  it("may be left out of what a state is bound to", async () => {
    const params = { name: "salient", arguments: args };
    const { last } = await drive(host, "tools/call", params, { sure: accept() });
    expect(textOf(last)).toBe("7 2026");
    expect(world.errors).toEqual([]);
  });
});
