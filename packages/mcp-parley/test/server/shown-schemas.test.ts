import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createMcpServer, structured, text } from "../../src/entry/index.js";
import type { McpServer } from "../../src/entry/index.js";
import { jsonSchema } from "../../src/entry/json-schema.js";
import { request, send, textOf } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host } from "../support/hosts.js";

const open: Host[] = [];

const made = (): McpServer => createMcpServer({ name: "schemas", version: "1" }, { log: false });

async function host(fill: (server: McpServer) => void): Promise<Host> {
  const server = made();
  fill(server);
  const host = await hosts["in memory"]?.(() => server, false);
  if (host === undefined) throw new Error("no host");
  open.push(host);
  return host;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const usage = (message: string): unknown =>
  expect.objectContaining({ code: "usage", message: expect.stringContaining(message) as unknown });

describe("a tool whose input is a JSON Schema", () => {
  const schema = {
    type: "object",
    properties: { count: { type: "integer", minimum: 1 } },
    required: ["count"],
    additionalProperties: false,
  };
  const counting = (server: McpServer): void => {
    server.tool("count", { inputSchema: jsonSchema<{ count: number }>(schema) }, ({ count }) =>
      text(String(count + 1)),
    );
  };
  const call = async (args: unknown): Promise<Turn> =>
    send(await host(counting), request("tools/call", { name: "count", arguments: args }));

  it("is listed with it as it is", async () => {
    const { result } = await send(await host(counting), request("tools/list"));
    expect(result).toMatchObject({ tools: [{ name: "count", inputSchema: schema }] });
  });

  it("gets what fits", async () => {
    expect(textOf(await call({ count: 1 }))).toBe("2");
  });

  it("answers what does not fit with an error the model can mend", async () => {
    const turn = await call({ count: 0, cuont: 1 });
    expect(turn.result).toMatchObject({ isError: true, resultType: "complete" });
    expect(textOf(turn)).toBe(
      'Invalid arguments for count: must NOT have additional properties: "cuont"; count: must be >= 1',
    );
  });

  it("refuses arguments that are no object as a malformed request", async () => {
    expect((await call([1])).error).toMatchObject({ code: -32602 });
  });
});

describe("a tool is refused", () => {
  const define = (inputSchema: unknown, outputSchema?: unknown) => () =>
    made().tool(
      "t",
      { inputSchema: inputSchema as never, outputSchema: outputSchema as never },
      () => text("x"),
    );

  it("when its input is no object", () => {
    expect(define(jsonSchema({ type: "array" }))).toThrow(usage("type object"));
    expect(define(jsonSchema({ type: ["object", "null"] }))).toThrow(usage("type object"));
    expect(define(z.string())).toThrow(usage("type object"));
  });

  it("when its schema can't check anything", () => {
    expect(define({ type: "object" })).toThrow(usage("jsonSchema"));
    expect(define(null)).toThrow(usage("jsonSchema"));
    expect(define(jsonSchema({}), { type: "array" })).toThrow(usage("jsonSchema"));
  });
});

it("a prompt is refused when its schema can't check anything", () => {
  const argsSchema = { type: "object", properties: {} } as never;
  expect(() => made().prompt("p", { argsSchema }, () => ({ messages: [] }))).toThrow(
    usage("Prompt 'p'"),
  );
});

describe("a schema without a type", () => {
  it("is shown as that of an object, with all that it says", async () => {
    const either = { anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    const served = await host((server) =>
      server.tool("t", { inputSchema: jsonSchema(either) }, () => text("x")),
    );
    const { result } = await send(served, request("tools/list"));
    expect(result).toMatchObject({ tools: [{ inputSchema: { ...either, type: "object" } }] });
  });
});

describe("structured content", () => {
  it.each<[string, unknown, Record<string, unknown>]>([
    ["an array", [{ id: 1 }, { id: 2 }], { type: "array", items: { required: ["id"] } }],
    ["a text", "sunny", { enum: ["sunny", "rainy"] }],
    ["a number", 22.5, { type: "number" }],
    ["false", false, { type: "boolean" }],
    ["null", null, { type: "null" }],
    ["an object", { a: { b: [] } }, { type: "object" }],
  ])("may be %s, and goes out as text besides", async (_, value, schema) => {
    const served = await host((server) =>
      server.tool("t", { outputSchema: jsonSchema(schema) }, () => structured(value)),
    );
    const turn = await send(served, request("tools/call", { name: "t" }));
    expect(turn.result?.["structuredContent"]).toEqual(value);
    expect(JSON.parse(textOf(turn))).toEqual(value);
    const { result } = await send(served, request("tools/list"));
    expect(result).toMatchObject({ tools: [{ outputSchema: schema }] });
  });

  it.each<[string, () => ReturnType<typeof text>]>([
    ["breaks the schema", () => structured({ id: "secret" })],
    ["is missing", () => text("secret")],
  ])("that %s never leaves the server", async (_, handler) => {
    const served = await host((server) =>
      server.tool(
        "t",
        { outputSchema: jsonSchema({ type: "object", properties: { id: { type: "number" } } }) },
        handler,
      ),
    );
    const turn = await send(served, request("tools/call", { name: "t" }));
    expect(turn.result).toMatchObject({ isError: true });
    expect(JSON.stringify(turn)).not.toContain("secret");
  });

  it("may be left out by a result that is an error", async () => {
    const served = await host((server) =>
      server.tool("t", { outputSchema: jsonSchema({ type: "number" }) }, () => ({
        ...text("The sensor is down"),
        isError: true,
      })),
    );
    expect(textOf(await send(served, request("tools/call", { name: "t" })))).toBe(
      "The sensor is down",
    );
  });
});
