import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createMcpServer, form, text } from "../../src/entry/index.js";
import type { FlowSettings, McpServer } from "../../src/entry/index.js";
import { INSTRUMENTS } from "../../src/flow/instruments.js";
import { flowSettings } from "../../src/flow/settings.js";
import { newKeyText } from "../../src/state/key-text.js";
import { memoryStore } from "../../src/store/memory.js";
import { accept, answer, drive, request, send, textOf } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import { FakeClock } from "../support/fake-clock.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";

/** What a tool, a prompt or a resource may set for its own flows, beside one that sets nothing. */
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const EXPIRED = { code: -32602, data: { reason: "expired" } };

let clock: FakeClock;
let host: Host;
const noted: string[] = [];

const FILE = { path: z.string(), note: z.string() };

function make(flow: Partial<FlowSettings>, ofServer: Partial<FlowSettings>): McpServer {
  const server = createMcpServer(
    { name: "settings", version: "1" },
    {
      log: false,
      keys: newKeyText(),
      store: memoryStore({}, () => clock.now()),
      flow: ofServer,
      [INSTRUMENTS]: { clock },
    },
  );
  const inputSchema = z.object(FILE);
  for (const [name, definition] of [
    ["plain", { inputSchema }],
    ["own", { inputSchema, flow }],
  ] as const) {
    server.tool(name, definition, async ({ path }, call) => {
      await call.ask("sure", form(`Delete ${path}?`));
      const { why } = await call.ask("why", form("Why?", z.object({ why: z.string() })));
      if (path === "effect") await call.once("note", () => noted.push(why));
      return text(`${path}: ${why}`);
    });
  }
  server.prompt("own", { argsSchema: inputSchema, flow }, async ({ path }, call) => {
    await call.ask("sure", form(`Read ${path}?`));
    return { messages: [{ role: "user", content: { type: "text", text: path } }] };
  });
  server.resource("own", "own://it", { flow }, async (_, call) => {
    await call.ask("sure", form("Read it?"));
    return "it";
  });
  return server;
}

async function open(
  flow: Partial<FlowSettings>,
  ofServer: Partial<FlowSettings> = {},
): Promise<void> {
  const inMemory = hosts["in memory"];
  if (inMemory === undefined) throw new Error("no host");
  host = await inMemory(() => make(flow, ofServer), false);
}

beforeEach(() => {
  clock = new FakeClock();
});
afterEach(() => host.close());

const call = (params: Wire): Promise<Turn> => send(host, request("tools/call", params));
const params = (name: string): Wire => ({ name, arguments: { path: "a", note: "b" } });

/** The round after `turn`, with a yes to everything. */
function next(of: Wire, { result }: Turn): Wire {
  return { ...of, ...answer(result ?? {}, { sure: accept(), why: accept({ why: "old" }) }) };
}

describe("life", () => {
  it("is a tool's own: its states live so long, and others ten minutes", async () => {
    await open({ life: 2 * MINUTE });
    const [own, plain] = [params("own"), params("plain")];
    const rounds = [next(own, await call(own)), next(plain, await call(plain))] as const;
    clock.jump(2 * MINUTE);
    expect((await call(rounds[0])).error).toMatchObject(EXPIRED);
    expect((await call(rounds[1])).error).toBeUndefined();
  });

  it("may be days, with a deadline that is no shorter", async () => {
    await open({ life: 3 * DAY, deadline: 5 * DAY });
    const own = params("own");
    const round = next(own, await call(own));
    clock.jump(3 * DAY - 1);
    const second = await call(round);
    expect(second.error).toBeUndefined();
    clock.jump(2 * DAY);
    expect(textOf(await call(next(own, second)))).toBe("a: old");
  });

  it.each<[string, Wire]>([
    ["prompts/get", params("own")],
    ["resources/read", { uri: "own://it" }],
  ])("is %s's own as well", async (method, of) => {
    await open({ life: MINUTE });
    const round = next(of, await send(host, request(method, of)));
    clock.jump(MINUTE - 1);
    expect((await send(host, request(method, round))).error).toBeUndefined();
    const late = next(of, await send(host, request(method, of)));
    clock.jump(MINUTE);
    expect((await send(host, request(method, late))).error).toMatchObject(EXPIRED);
  });

  it("of the server holds where a tool sets none", async () => {
    await open({ life: 5 * MINUTE }, { life: MINUTE });
    const [own, plain] = [params("own"), params("plain")];
    const rounds = [next(own, await call(own)), next(plain, await call(plain))] as const;
    clock.jump(MINUTE);
    expect((await call(rounds[0])).error).toBeUndefined();
    expect((await call(rounds[1])).error).toMatchObject(EXPIRED);
  });
});

describe("deadline", () => {
  it("is a tool's own: renewing its state does not lengthen its flow", async () => {
    await open({ deadline: 12 * MINUTE });
    const [own, plain] = [params("own"), params("plain")];
    const firsts = [await call(own), await call(plain)] as const;
    clock.jump(8 * MINUTE);
    const seconds = [await call(next(own, firsts[0])), await call(next(plain, firsts[1]))] as const;
    expect(seconds[0].result?.["_meta"]).toMatchObject({
      "mcp-parley/expires": clock.now() + 4 * MINUTE,
    });
    clock.jump(4 * MINUTE);
    expect((await call(next(own, seconds[0]))).error).toMatchObject(EXPIRED);
    expect(textOf(await call(next(plain, seconds[1])))).toBe("a: old");
  });
});

describe("repeats", () => {
  it.each([
    ["own", 2],
    ["plain", 10],
  ])("of the tool %s: a question is put %d times", async (name, times) => {
    await open({ repeats: 2 });
    const { asked, last } = await drive(host, "tools/call", params(name), {
      sure: accept(),
      why: accept({ why: 7 }),
    });
    expect(asked.filter(([key]) => key === "why")).toHaveLength(times);
    expect(last.result).toMatchObject({ _meta: { "mcp-parley/outcome": "repeats_exhausted" } });
  });
});

describe("singleUse", () => {
  it("may be left out by a tool that does nothing to the world", async () => {
    await open({ singleUse: false });
    for (const [name, error] of [
      ["own", undefined],
      ["plain", { code: -32602, message: expect.any(String) as string, data: { reason: "spent" } }],
    ] as const) {
      const last = next(params(name), await call(next(params(name), await call(params(name)))));
      expect(textOf(await call(last))).toBe("a: old");
      const other = { ...last, inputResponses: { why: accept({ why: "other" }) } };
      expect((await call(other)).error).toEqual(error);
    }
  });

  it("left out, an effect still happens for one answer, and not for another", async () => {
    await open({ singleUse: false });
    const own: Wire = { name: "own", arguments: { path: "effect", note: "b" } };
    const last = next(own, await call(next(own, await call(own))));
    expect(textOf(await call(last))).toBe("effect: old");
    expect(textOf(await call(last))).toBe("effect: old");
    const other = { ...last, inputResponses: { why: accept({ why: "other" }) } };
    const { result } = await call(other);
    expect(result).toMatchObject({
      isError: true,
      _meta: { "mcp-parley/outcome": "effect_conflict" },
    });
    expect(noted).toEqual(["old"]);
  });
});

describe("salient", () => {
  it.each<[string, string, Wire]>([
    ["a tool's", "tools/call", params("own")],
    ["a prompt's", "prompts/get", params("own")],
  ])("arguments are %s own: the others may change between rounds", async (_, method, own) => {
    await open({ salient: ["path"] });
    const round = next(own, await send(host, request(method, own)));
    const moved = { ...round, arguments: { path: "c", note: "b" } };
    expect((await send(host, request(method, moved))).error).toMatchObject({ code: -32602 });
    const noted = { ...round, arguments: { path: "a", note: "c" } };
    expect((await send(host, request(method, noted))).error).toBeUndefined();
  });

  it("where a tool names none, every argument counts", async () => {
    await open({ salient: ["path"] });
    const plain = params("plain");
    const round = next(plain, await call(plain));
    const noted = { ...round, arguments: { path: "a", note: "c" } };
    expect((await call(noted)).error).toMatchObject({ code: -32602 });
  });

  it.each(["tool", "prompt"])(
    "that a %s does not have are a mistake, told at once",
    async (what) => {
      await open({});
      const server = createMcpServer({ name: "typo", version: "1" }, { log: false });
      const add = (salient: string[], schema: z.ZodType): void => {
        const flow = { salient };
        if (what === "tool") server.tool("t", { inputSchema: schema, flow }, () => text(""));
        else server.prompt("t", { argsSchema: schema, flow }, () => ({ messages: [] }));
      };
      expect(() => add(["path", "pth"], z.object(FILE))).toThrow(
        expect.objectContaining({
          code: "usage",
          message: expect.stringContaining("'pth'") as string,
        }),
      );
      expect(() => add(["path"], z.object(FILE))).not.toThrow();
      server.close();
    },
  );

  it("that a schema may have without listing them are taken", async () => {
    await open({});
    const server = createMcpServer({ name: "open", version: "1" }, { log: false });
    const flow = { salient: ["anything"] };
    const loose = z.looseObject(FILE);
    expect(() => server.tool("t", { inputSchema: loose, flow }, () => text(""))).not.toThrow();
    expect(() => server.tool("u", { flow }, () => text(""))).not.toThrow();
    server.close();
  });
});

describe("settings that make no sense", () => {
  beforeEach(() => open({}));

  it.each<[string, object, typeof Error]>([
    ["a life in seconds", { life: 600 }, RangeError],
    ["no time", { deadline: Number.NaN }, RangeError],
    ["a deadline beyond 90 days", { deadline: 91 * DAY }, RangeError],
    ["no repeats", { repeats: 0 }, RangeError],
    ["repeats without end", { repeats: Infinity }, RangeError],
    ["salient arguments as one text", { salient: "path" }, TypeError],
    ["salient arguments that are no names", { salient: [["path"]] }, TypeError],
  ])("are refused when the tool is added: %s", (_, flow, error) => {
    expect(() => flowSettings(flow)).toThrow(error);
    const server = createMcpServer({ name: "wrong", version: "1" }, { log: false });
    expect(() => server.tool("t", { flow }, () => text(""))).toThrow(error);
    server.close();
  });
});
