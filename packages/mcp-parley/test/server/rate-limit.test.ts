import { afterEach, describe, expect, it } from "vitest";
import { createMcpServer, form, text } from "../../src/entry/index.js";
import type { McpServer, RateLimit, RateLimitRequest } from "../../src/entry/index.js";
import { accept, drive, request, send } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";
import { DOORS, json, post } from "../transport/doors.js";

const ends: (() => unknown)[] = [];

function server(rateLimit: RateLimit, ran: () => void = () => undefined): McpServer {
  const one = createMcpServer({ name: "limits", version: "1" }, { log: false, rateLimit })
    .tool("t", {}, () => {
      ran();
      return text("x");
    })
    .tool("asks", {}, async (_, call) => {
      await call.ask("sure", form("Sure?"));
      return text("done");
    })
    .resource("r", "r://1", {}, () => "x");
  ends.push(() => one.close());
  return one;
}

async function inMemory(one: McpServer): Promise<Host> {
  const host = await hosts["in memory"]?.(() => one, false);
  if (host === undefined) throw new Error("no host");
  return host;
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const call = request("tools/call", { name: "t", arguments: {} });

describe("a rate limit", () => {
  it("is told who asks for what, and whether a flow is carried on", async () => {
    const asked: RateLimitRequest[] = [];
    const host = await inMemory(
      server((one) => {
        asked.push(one);
        return true;
      }),
    );
    const principal = { issuer: "i", subject: "s" };
    await drive(host, "tools/call", { name: "asks" }, { sure: accept() }, { principal });
    await send(host, request("resources/read", { uri: "r://1" }));
    await send(host, request("tools/list"));
    expect(asked.map(({ signal: _, ...rest }) => rest)).toEqual([
      { principal, method: "tools/call", name: "asks", isRetry: false },
      { principal, method: "tools/call", name: "asks", isRetry: true },
      { principal: undefined, method: "resources/read", name: "r://1", isRetry: false },
      { principal: undefined, method: "tools/list", name: undefined, isRetry: false },
    ]);
    expect(asked[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  it("takes answers without a state for a retry", async () => {
    const asked: boolean[] = [];
    const host = await inMemory(server(({ isRetry }) => asked.push(isRetry) > 0));
    await send(host, request("tools/call", { name: "asks", inputResponses: {} }));
    expect(asked).toEqual([true]);
  });

  it("is not asked about what no method is, or what is malformed", async () => {
    let asked = 0;
    const host = await inMemory(server(() => ++asked > 0));
    await send(host, request("no/such"));
    await send(host, { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    expect(asked).toBe(0);
  });

  it.each<[string, ReturnType<RateLimit>]>([
    ["at once", true],
    ["after a while", Promise.resolve(true)],
  ])("that agrees %s lets the request be answered", async (_, verdict) => {
    expect((await send(await inMemory(server(() => verdict)), call)).result).toBeDefined();
  });

  it.each<[string, ReturnType<RateLimit>, Wire | undefined]>([
    ["with no more", false, undefined],
    ["later, with no more", Promise.resolve(false), undefined],
    ["with a time", { retryAfterMs: 1500.2 }, { retryAfterMs: 1501 }],
    ["with a time that makes no sense", { retryAfterMs: NaN }, undefined],
    ["with a time without end", { retryAfterMs: Infinity }, undefined],
    ["as nothing that was agreed", undefined as never, undefined],
  ])("that refuses %s is an error, and nothing runs", async (_, verdict, data) => {
    let ran = 0;
    const host = await inMemory(
      server(
        () => verdict,
        () => {
          ran += 1;
        },
      ),
    );
    const { error, result } = await send(host, call);
    expect(result).toBeUndefined();
    expect(error).toEqual({
      code: 1004,
      message: "Too many requests: try again later",
      ...(data === undefined ? {} : { data }),
    });
    expect(ran).toBe(0);
  });

  it.each<[string, RateLimit]>([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
    ],
    ["rejects", () => Promise.reject(new Error("secret"))],
  ])("that %s fails closed and tells nothing", async (_, limit) => {
    let ran = 0;
    const { error } = await send(
      await inMemory(
        server(limit, () => {
          ran += 1;
        }),
      ),
      call,
    );
    expect(error).toEqual({ code: -32603, message: "Internal error" });
    expect(ran).toBe(0);
  });
});

describe.each(DOORS)("over HTTP, by %s, a refusal", (_, open) => {
  it("is a 429 that says when to come back, in whole seconds", async () => {
    const door = await open(server(() => ({ retryAfterMs: 1500 })));
    ends.push(() => door.close());
    const got = await door.send(post(call as { method: string }));
    expect(got.status).toBe(429);
    expect(got.header("retry-after")).toBe("2");
    expect(await json(got)).toMatchObject({ id: call["id"], error: { code: 1004 } });
  });

  it("has no time where none was given", async () => {
    const door = await open(server(() => false));
    ends.push(() => door.close());
    const got = await door.send(post(call as { method: string }));
    expect(got.status).toBe(429);
    expect(got.header("retry-after")).toBeNull();
    await got.next();
  });
});
