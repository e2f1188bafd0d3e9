import { afterEach, describe, expect, it } from "vitest";
import { createMcpServer, text } from "../../src/entry/index.js";
import type { McpServer } from "../../src/entry/index.js";
import { jsonSchema } from "../../src/entry/json-schema.js";
import { DOORS, type Door, json, post } from "../transport/doors.js";
import { request } from "../transport/fixtures.js";

const mirrored = (type: string, header: unknown) => ({ type, "x-mcp-header": header });
const taking = (properties: Record<string, unknown>) =>
  jsonSchema({ type: "object", properties: properties });

function serverWith(properties: Record<string, unknown>): McpServer {
  return createMcpServer({ name: "mirrors", version: "1" }, { log: false }).tool(
    "t",
    { inputSchema: taking(properties) },
    () => text("ran"),
  );
}

describe.each(DOORS)("over HTTP (%s)", (_, openDoor) => {
  let door: Door | undefined;
  afterEach(() => door?.close());

  async function call(args: object, headers: Record<string, string>) {
    const region = mirrored("string", "Region");
    door = await openDoor(serverWith({ region, count: mirrored("integer", "Count") }));
    const got = await door.send(
      post(request(1, "tools/call", { name: "t", arguments: args }), headers),
    );
    return { status: got.status, answer: await json(got) };
  }

  it.each<[string, object, Record<string, string>]>([
    ["a value without a header", { region: "eu" }, {}],
    ["another value", { region: "eu" }, { "mcp-param-region": "us" }],
    ["another case", { region: "eu" }, { "mcp-param-region": "EU" }],
    ["a header without a value", {}, { "mcp-param-region": "eu" }],
    ["bad base64", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }],
    ["another number", { count: 42 }, { "mcp-param-count": "43" }],
  ])("an argument and its header have to agree: %s", async (_case, args, headers) => {
    expect(await call(args, headers)).toMatchObject({
      status: 400,
      answer: { id: 1, error: { code: -32020 } },
    });
  });

  it.each<[string, object, Record<string, string>]>([
    ["the same value", { region: "eu" }, { "mcp-param-region": "eu" }],
    ["a header in capitals", { region: "eu" }, { "MCP-PARAM-REGION": "eu" }],
    ["the same, encoded", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8=?=" }],
    ["a number written otherwise", { count: 42 }, { "mcp-param-count": "42.0" }],
    ["neither value nor header", {}, {}],
    ["a header nobody knows", {}, { "mcp-param-other": "x" }],
  ])("an argument and its header agree: %s", async (_case, args, headers) => {
    expect(await call(args, headers)).toMatchObject({
      status: 200,
      answer: { result: { content: [{ text: "ran" }] } },
    });
  });

  it("an argument that is null has no header", async () => {
    const { status, answer } = await call({ region: null }, {});
    // What the tool's schema says of null is another matter; headers have no part in it.
    expect({ status, answer }).toMatchObject({
      status: 200,
      answer: { result: { isError: true } },
    });
    const sent = await call({ region: null }, { "mcp-param-region": "null" });
    expect(sent).toMatchObject({ status: 400, answer: { error: { code: -32020 } } });
  });
});

it.each<[string, Record<string, unknown>]>([
  ["an empty name", { a: mirrored("string", "") }],
  ["a name that is no field's", { a: mirrored("string", "a b") }],
  ["a name that begins a header", { a: mirrored("string", "a\r\nb") }],
  ["a name twice", { a: mirrored("string", "X"), b: mirrored("string", "x") }],
  ["a number", { a: mirrored("number", "X") }],
  ["a member of a list", { a: { type: "array", items: mirrored("string", "X") } }],
])("a tool whose annotations are not valid is refused: %s", (_, properties) => {
  expect(() => serverWith(properties)).toThrow(expect.objectContaining({ code: "usage" }));
});

it.each(["", "a b", "a,b", "zażółć", "a\nb", "x".repeat(129)])(
  "a tool whose name no header can carry is refused: %j",
  (name) => {
    const server = createMcpServer({ name: "names", version: "1" }, { log: false });
    expect(() => server.tool(name, {}, () => text("x"))).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
    for (const fine of ["a", "A.b_c-9", "x".repeat(128)]) server.tool(fine, {}, () => text("x"));
  },
);
