import { createServer } from "node:http";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeHeaderValue } from "../../src/protocol/headers.js";
import { nameOf } from "../../src/protocol/methods.js";
import { toNodeHandler } from "../../src/transport/node-http.js";
import { accept, request } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { janitor, newWorld, shared } from "../support/janitor.js";

/**
 * Every field of every request, replaced by what nobody expects: a specified JSON-RPC error each
 * time or an ordinary result, never a crash, a hang, a stack trace or an unhandled rejection.
 */
let http: HttpServer;
let url: string;
const world = newWorld();

beforeAll(async () => {
  const server = janitor(world, shared());
  http = createServer(toNodeHandler(server));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}/mcp`;
});

afterAll(async () => {
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

const CODES = new Set([-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022, 1001, 1002]);
const STATUSES = new Set([200, 202, 400, 404, 413, 415]);

interface Answer {
  status: number;
  text: string;
}

async function post(
  body: string,
  like: Wire,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const method = typeof like["method"] === "string" ? like["method"] : "tools/call";
  const name = nameOf(method, like["params"]);
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": encodeHeaderValue(method),
      ...(name === undefined ? {} : { "mcp-name": encodeHeaderValue(name) }),
      ...headers,
    },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** What an answer must be, whatever was asked. Gives the JSON-RPC error code, if it is an error. */
function judge({ status, text }: Answer, what: string): number | undefined {
  expect(STATUSES, `${what}: HTTP ${String(status)}`).toContain(status);
  expect(text, what).not.toMatch(/\.(ts|js):\d+|node_modules|at \w+ \(/);
  if (text === "") {
    expect(status, what).toBe(202);
    return undefined;
  }
  const message = JSON.parse(text) as { jsonrpc: string; error?: { code: number } };
  expect(message.jsonrpc, what).toBe("2.0");
  if (message.error === undefined) {
    expect(message, what).toHaveProperty("result.resultType");
    return undefined;
  }
  expect(CODES, what).toContain(message.error.code);
  return message.error.code;
}

const REQUESTS: [string, Wire][] = [
  ["server/discover", request("server/discover")],
  ["tools/list", request("tools/list")],
  ["tools/call", request("tools/call", { name: "choose", arguments: { branch: "a" } })],
  [
    "tools/call with answers",
    request("tools/call", {
      name: "ahead",
      arguments: {},
      inputResponses: {
        user_name: accept({ name: "x" }),
        said: { role: "assistant", model: "m", content: { type: "text", text: "x" } },
        dirs: { roots: [{ uri: "file:///x", name: "x" }] },
      },
      requestState: "p1.AAAA",
    }),
  ],
  ["prompts/list", request("prompts/list")],
  ["prompts/get", request("prompts/get", { name: "greeting", arguments: { topic: "tea" } })],
  ["resources/list", request("resources/list")],
  ["resources/templates/list", request("resources/templates/list")],
  ["resources/read", request("resources/read", { uri: "plan://secret" })],
];

const HOSTILE: [string, unknown][] = [
  ["null", null],
  ["true", true],
  ["zero", 0],
  ["a float", 1.5],
  ["a huge number", 1e308],
  ["an empty text", ""],
  ["a long text", "x".repeat(100_000)],
  ["NUL and newlines", "a\u0000\r\nb"],
  ["emoji", "👩‍👩‍👧‍👦"],
  ["an array", []],
  ["a full array", [null, {}, []]],
  ["an object", {}],
  ["an object of prototypes", JSON.parse('{"__proto__":{"x":1},"constructor":{},"toString":7}')],
  ["a deep array", JSON.parse("[".repeat(60) + "]".repeat(60))],
  ["the name of a prototype's member", "constructor"],
  ["__proto__", "__proto__"],
];

/** Every place in a message: the path to each member and element. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Array.isArray(value)
    ? value.flatMap((item, at) => places(item, [...path, at]))
    : Object.entries(value).flatMap(([name, item]) => places(item, [...path, name]));
  return [path, ...inside];
}

function replaced(value: unknown, path: (string | number)[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return by;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[first] = replaced(copy[first], rest, by);
  return copy;
}

describe.each(REQUESTS)("%s", (name, message) => {
  it("with any one place replaced", async () => {
    for (const path of places(message)) {
      const answers = HOSTILE.map(async ([what, hostile]) => {
        const body = JSON.stringify(replaced(message, path, hostile));
        judge(await post(body, message), `${name} ${path.join(".")} = ${what}`);
      });
      await Promise.all(answers);
    }
  });

  it("with any one member left out, or one too many", async () => {
    for (const path of places(message)) {
      if (path.length === 0) continue;
      const without = JSON.stringify(replaced(message, path, undefined));
      judge(await post(without, message), `${name} without ${path.join(".")}`);
    }
  });

  it("with any bytes cut off or changed", async () => {
    const text = JSON.stringify(message);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), async (at, by) => {
        judge(await post(text.slice(0, at), message), "cut");
        judge(await post(text.slice(0, at) + by + text.slice(at + 1), message), "changed");
      }),
      { numRuns: 40 },
    );
  });
});

describe("bodies that are no message", () => {
  const call = JSON.stringify(request("tools/call", { name: "choose", arguments: {} }));
  const like = JSON.parse(call) as Wire;

  it.each([
    ["empty", "", -32700],
    ["no JSON", "{", -32700],
    ["two messages", `${call}${call}`, -32700],
    ["a batch", `[${call}]`, -32600],
    ["a text", '"x"', -32600],
    ["null", "null", -32600],
    ["nested too deeply", "[".repeat(100_000) + "]".repeat(100_000), -32600],
    ["a member given twice", call.replace('"name":', '"name":"plain","name":'), -32600],
    [
      "an answer given twice",
      call.replace(
        '"arguments":{}',
        '"arguments":{},"inputResponses":{"a":{"action":"decline"},"a":{"action":"accept"}}',
      ),
      -32600,
    ],
    ["a lone surrogate", call.replace('"choose"', '"\\ud800"'), -32600],
  ])("%s", async (_, body, code) => {
    expect(judge(await post(body, like), "body")).toBe(code);
  });

  it("not UTF-8", async () => {
    const bytes = Buffer.concat([
      Buffer.from(call.slice(0, -1)),
      Buffer.from([0xff, 0xfe]),
      Buffer.from("}"),
    ]);
    const answer = await post(bytes as unknown as string, like);
    expect(judge(answer, "bytes")).toBe(-32700);
  });

  it("five megabytes", async () => {
    const { status } = await post(`"${"x".repeat(5 * 1024 * 1024)}"`, like);
    expect(status).toBe(413);
  });

  it("another type, another encoding", async () => {
    expect((await post(call, like, { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(call, like, { "content-encoding": "gzip" })).status).toBe(415);
  });
});

it("serves on after all of this", async () => {
  const message = request("tools/call", { name: "plain", arguments: {} });
  const { status, text } = await post(JSON.stringify(message), message);
  expect(status).toBe(200);
  expect(text).toContain('"plain"');
  expect(world.events.filter(({ type }) => type === "round_failed")).toEqual([]);
});
