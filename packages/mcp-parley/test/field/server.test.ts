import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createMcpServer, form, link, structured, text } from "../../src/entry/index.js";
import type { McpServer, ServerOptions } from "../../src/entry/index.js";
import { accept, answer, decline, drive, request, send, textOf } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";
import { janitor, newWorld, shared } from "../support/janitor.js";
import type { World } from "../support/janitor.js";

/** Faults that people met in other servers, by name; each is a kind that cannot happen here. */
let host: Host;
let world: World;
let parts: ReturnType<typeof shared>;
const open: Host[] = [];

async function hosted(make: () => McpServer, fresh = false): Promise<Host> {
  const inMemory = hosts["in memory"];
  if (inMemory === undefined) throw new Error("no host");
  const made = await inMemory(make, fresh);
  open.push(made);
  return made;
}

/** A server with one tool. */
function withTool(
  handler: Parameters<McpServer["tool"]>[2],
  options: Partial<ServerOptions> = {},
): Promise<Host> {
  return hosted(() =>
    createMcpServer({ name: "field", version: "1" }, { log: false, ...parts, ...options }).tool(
      "t",
      {},
      handler,
    ),
  );
}

beforeEach(async () => {
  world = newWorld();
  parts = shared();
  host = await hosted(() => janitor(world, parts));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const tool = (name: string, args: Wire = {}): Wire => ({ name, arguments: args });

describe("losing or mixing answers", () => {
  it("an answer restored from state is carried on", async () => {
    const { last, turns } = await drive(host, "tools/call", tool("three"), {
      a: accept({ reason: "1" }),
      b: accept({ reason: "2" }),
      c: accept({ reason: "3" }),
    });
    expect(turns).toHaveLength(4);
    expect(textOf(last)).toBe("1 2 3");
  });

  it("the interim result is never turned into content", async () => {
    const { result } = await send(host, request("tools/call", tool("choose")));
    expect(result?.["resultType"]).toBe("input_required");
    expect(result).not.toHaveProperty("content");
    expect(result).not.toHaveProperty("isError");
  });

  it("the shortest tool one can write asks a question", async () => {
    const shortest = await withTool(async (_, call) => {
      await call.ask("ok", form("OK?"));
      return text("ok");
    });
    const { last } = await drive(shortest, "tools/call", tool("t"), { ok: accept() });
    expect(textOf(last)).toBe("ok");
  });

  it("create(); ask(); finish(): one creation", async () => {
    let created = 0;
    const wasteful = await withTool(async (_, call) => {
      const { id } = await call.once("create", () => ({ id: ++created }));
      await call.ask("finish", form("Finish?"));
      return structured({ id });
    });
    const { last } = await drive(wasteful, "tools/call", tool("t"), { finish: accept() });
    expect(last.result?.["structuredContent"]).toEqual({ id: 1 });
    expect(created).toBe(1);
  });

  it("a counter before the first of two asks is 1 in memo", async () => {
    await drive(host, "tools/call", tool("counting"), { a: accept(), b: accept() });
    expect(world.runs).toEqual({ handler: 3, memo: 1 });
  });

  it("two parallel calls of one tool get no cross-talk", async () => {
    const flows = await Promise.all(
      ["1", "2"].map((n) =>
        drive(host, "tools/call", tool("three"), {
          a: accept({ reason: n }),
          b: accept({ reason: n }),
          c: accept({ reason: n }),
        }),
      ),
    );
    expect(flows.map(({ last }) => textOf(last))).toEqual(["1 1 1", "2 2 2"]);
  });
});

describe("state", () => {
  it("approval forged on the first call: the question is put", async () => {
    const forged = {
      ...tool("delete_branch", { branch: "x" }),
      inputResponses: { sure: accept({}) },
    };
    const { result } = await send(host, request("tools/call", forged));
    expect(Object.keys(result?.["inputRequests"] as Wire)).toEqual(["sure"]);
    expect(world.effects).toEqual([]);
  });

  it("approval moved to another target: refused", async () => {
    const first = await send(host, request("tools/call", tool("delete_branch", { branch: "a" })));
    const extra = answer(first.result ?? {}, { sure: accept({}) });
    const moved = { ...tool("delete_branch", { branch: "b" }), ...extra };
    const { error } = await send(host, request("tools/call", moved));
    expect(error?.code).toBe(-32602);
  });

  it("another user's state: refused, nothing told", async () => {
    const ann = { issuer: "i", subject: "ann" };
    const first = await send(host, request("tools/call", tool("choose")), ann);
    const extra = answer(first.result ?? {}, { pick: accept({ colour: "red" }) });
    const stolen = request("tools/call", { ...tool("choose"), ...extra });
    const { error } = await send(host, stolen, { issuer: "i", subject: "bob" });
    expect(error).toEqual({ code: -32602, message: "Invalid or expired requestState" });
  });

  it("two users of one OAuth client are two principals", async () => {
    const first = await send(host, request("tools/call", tool("choose")), {
      issuer: "i",
      subject: "ann",
      client: "app",
    });
    const extra = answer(first.result ?? {}, { pick: accept({ colour: "red" }) });
    const message = request("tools/call", { ...tool("choose"), ...extra });
    const { error } = await send(host, message, { issuer: "i", subject: "bob", client: "app" });
    expect(error?.code).toBe(-32602);
  });

  it("rotation: a dialogue begun under the old key completes, and not once it is disabled", async () => {
    const { newKeyText } = await import("../../src/state/key-text.js");
    const [old, fresh] = [newKeyText(), newKeyText()];
    const begun = await hosted(() => janitor(world, { ...parts, keys: old }));
    const rotated = await hosted(() => janitor(world, { ...parts, keys: [fresh, old] }));
    const without = await hosted(() => janitor(world, { ...parts, keys: fresh }));
    const first = await send(begun, request("tools/call", tool("choose")));
    const extra = answer(first.result ?? {}, { pick: accept({ colour: "red" }) });
    const retry = (): Wire => request("tools/call", { ...tool("choose"), ...extra });
    expect((await send(without, retry())).error?.code).toBe(-32602);
    expect(textOf(await send(rotated, retry()))).toBe("red");
  });

  it.each([" ", "=", "\n", "A"])("a state with %j added is refused", async (added) => {
    const first = await send(host, request("tools/call", tool("choose")));
    const extra = answer(first.result ?? {}, { pick: accept({ colour: "red" }) });
    const requestState = (extra["requestState"] as string) + added;
    const altered = request("tools/call", { ...tool("choose"), ...extra, requestState });
    expect((await send(host, altered)).error?.code).toBe(-32602);
    expect(textOf(await send(host, request("tools/call", { ...tool("choose"), ...extra })))).toBe(
      "red",
    );
  });

  it("the same state five times at once: one completion and four copies of it", async () => {
    let runs = 0;
    const slow = await withTool(async (_, call) => {
      await call.ask("go", form("Go?"));
      runs += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return text(`run ${String(runs)}`);
    });
    const first = await send(slow, request("tools/call", tool("t")));
    const extra = answer(first.result ?? {}, { go: accept() });
    const five = await Promise.all(
      Array.from({ length: 5 }, () =>
        send(slow, request("tools/call", { ...tool("t"), ...extra })),
      ),
    );
    expect(five.map(textOf)).toEqual(Array.from({ length: 5 }, () => "run 1"));
    expect(runs).toBe(1);
  });

  it("a state on a tool that never asks is checked all the same", async () => {
    const bad = request("tools/call", { ...tool("plain"), requestState: "nonsense" });
    expect((await send(host, bad)).error?.code).toBe(-32602);
  });

  it("a state on a method that cannot ask is ignored", async () => {
    const { result } = await send(
      host,
      request("tools/list", { requestState: 7, inputResponses: [] }),
    );
    expect(result?.["resultType"]).toBe("complete");
  });
});

describe("shapes", () => {
  it.each([
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
  ])("%s has resultType, ttlMs and cacheScope", async (method) => {
    const { result } = await send(host, request(method));
    expect(result).toMatchObject({
      resultType: "complete",
      ttlMs: expect.any(Number) as number,
      cacheScope: expect.stringMatching(/^(public|private)$/) as string,
    });
  });

  it.each<[string, Wire]>([
    ["requestState: 7", { requestState: 7 }],
    ["requestState: null", { requestState: null }],
    ["inputResponses: []", { inputResponses: [] }],
    ["inputResponses: null", { inputResponses: null }],
    ['{"p":7}', { inputResponses: { p: 7 } }],
    ["content: 7", { inputResponses: { a: { action: "accept", content: 7 } } }],
    ["an unknown action", { inputResponses: { a: { action: "perhaps" } } }],
  ])("a malformed retry, %s, is -32602 and the handler does not run", async (_, extra) => {
    const { error } = await send(host, request("tools/call", { ...tool("counting"), ...extra }));
    expect(error?.code).toBe(-32602);
    expect(world.runs).toEqual({});
  });

  it("a decline without content is valid", async () => {
    const first = await send(host, request("tools/call", tool("choose")));
    const extra = answer(first.result ?? {}, { pick: decline });
    expect(textOf(await send(host, request("tools/call", { ...tool("choose"), ...extra })))).toBe(
      "no: decline",
    );
  });

  it("bare elicitation means form; url only does not, and -32021 names the exact one", async () => {
    const bare = await send(host, request("tools/call", tool("choose"), { elicitation: {} }));
    expect(bare.result?.["resultType"]).toBe("input_required");
    const urlOnly = request("tools/call", tool("choose"), { elicitation: { url: {} } });
    expect((await send(host, urlOnly)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    const formOnly = request("tools/call", tool("sign_in"), { elicitation: { form: {} } });
    expect((await send(host, formOnly)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });

  it("an own __proto__ key in inputResponses is an ordinary unknown key", async () => {
    const first = await send(host, request("tools/call", tool("choose")));
    const { requestState } = answer(first.result ?? {}, {});
    const inputResponses = JSON.parse(
      '{"__proto__":{"action":"decline"},"pick":{"action":"accept","content":{"colour":"red"}}}',
    ) as Wire;
    const retry = request("tools/call", { ...tool("choose"), requestState, inputResponses });
    expect(textOf(await send(host, retry))).toBe("red");
  });

  it("a question may be put under the key __proto__", async () => {
    const odd = await withTool(async (_, call) => {
      const { x } = await call.ask("__proto__", form("x?", z.object({ x: z.string() })));
      return text(x);
    });
    const first = await send(odd, request("tools/call", tool("t")));
    expect(Object.keys(first.result?.["inputRequests"] as Wire)).toEqual(["__proto__"]);
    const inputResponses = JSON.parse(
      '{"__proto__":{"action":"accept","content":{"x":"hi"}}}',
    ) as Wire;
    const { requestState } = first.result ?? {};
    const retry = request("tools/call", { ...tool("t"), requestState, inputResponses });
    expect(textOf(await send(odd, retry))).toBe("hi");
  });

  it.each(["constructor", "__proto__", "toString"])(
    "a tool named %s is not found",
    async (name) => {
      const { error } = await send(host, request("tools/call", tool(name)));
      expect(error).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
    },
  );

  it("names outside ASCII round trip", async () => {
    const { last } = await drive(host, "resources/read", { uri: "page://za%C5%82/raport.pdf" });
    expect(last.result).toMatchObject({ contents: [{ text: "zał:raport.pdf" }] });
  });

  it("a result completed by a retry is not to be cached, and an interim one has no hints", async () => {
    const { turns } = await drive(
      host,
      "resources/read",
      { uri: "plan://secret" },
      { may: accept() },
    );
    expect(turns[0]?.result).not.toHaveProperty("ttlMs");
    expect(turns[0]?.result).not.toHaveProperty("cacheScope");
    expect(turns[1]?.result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
  });
});

describe("questions", () => {
  it("a nested schema is refused when the question is made, naming the field", () => {
    const nested = { type: "object", properties: { address: { type: "object", properties: {} } } };
    expect(() => form("Where?", nested as never)).toThrow(
      expect.objectContaining({
        code: "question_invalid",
        message: expect.stringContaining("'address'") as string,
      }),
    );
  });

  it("a question without a message is refused", () => {
    expect(() => form("")).toThrow(expect.objectContaining({ code: "question_invalid" }));
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "not a url",
    "https://user:pass@example.com/",
  ])("a link to %s is refused", (url) => {
    expect(() => link("Open", url)).toThrow(expect.objectContaining({ code: "question_invalid" }));
  });

  it("accepted content that breaks the question's schema is asked again", async () => {
    const first = await send(host, request("tools/call", tool("choose")));
    const extra = answer(first.result ?? {}, { pick: accept({ colour: "blue" }) });
    const second = await send(host, request("tools/call", { ...tool("choose"), ...extra }));
    expect(second.result?.["resultType"]).toBe("input_required");
  });

  it("decline ends the question: nobody is asked ten times", async () => {
    const { asked } = await drive(host, "tools/call", tool("choose"), { pick: decline });
    expect(asked).toEqual([["pick"]]);
  });

  it("a question that is never answered well is put ten times, and then no more", async () => {
    const { last, asked } = await drive(host, "tools/call", tool("choose"), {
      pick: accept({ colour: "blue" }),
    });
    expect(asked).toHaveLength(10);
    expect(last.result).toMatchObject({
      isError: true,
      _meta: { "mcp-parley/outcome": "repeats_exhausted" },
    });
  });

  it("two different questions under one key in one run are an error", async () => {
    const clash = await withTool(async (_, call) => {
      await Promise.all([call.ask("k", form("one?")), call.ask("k", form("two?"))]);
      return text("unreachable");
    });
    const { last } = await drive(clash, "tools/call", tool("t"), { k: accept() });
    expect(last.result?.["isError"]).toBe(true);
  });

  it("a state that grew too large is an error that names what is large, before any effect", async () => {
    const errors: unknown[] = [];
    let effects = 0;
    const large = await withTool(
      async (_, call) => {
        await call.memo("huge", () => "x".repeat(40_000));
        await call.ask("go", form("Go?"));
        await call.once("effect", () => void (effects += 1));
        return text("unreachable");
      },
      {
        onEvent: (event) => {
          if (event.type === "handler_failed") errors.push(event.error);
        },
      },
    );
    const { result } = await send(large, request("tools/call", tool("t")));
    expect(result?.["isError"]).toBe(true);
    expect(errors).toEqual([
      expect.objectContaining({
        code: "state_too_large",
        message: expect.stringContaining("memo 'huge' (") as string,
      }),
    ]);
    expect(effects).toBe(0);
  });
});

describe("errors", () => {
  it("a handler's message stays in the server", async () => {
    const { result } = await send(host, request("tools/call", tool("broken")));
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(result?.["isError"]).toBe(true);
    expect(world.events).toContainEqual(expect.objectContaining({ type: "handler_failed" }));
  });

  it("an older client's handshake is told which revisions there are", async () => {
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25" },
    };
    const { error } = await send(host, initialize);
    expect(error).toMatchObject({
      code: -32022,
      data: { supported: ["2026-07-28"], requested: "2025-11-25" },
    });
  });
});
