import { describe, expect, test } from "vitest";
import { connect } from "../../src/entry/client-node.js";
import type { Client } from "../../src/client/client.js";
import { DISCOVERY, scripted } from "./scripted.js";

const SAFE = [
  { src: "https://example.com/i.png", sizes: ["48x48"] },
  { src: "DATA:image/png;base64,AAAA" },
];
const UNSAFE = [
  { src: "javascript:alert(1)" },
  { src: "file:///etc/passwd" },
  { src: "ftp://example.com/i.png" },
  { src: "ws://example.com/i.png" },
  { src: "myapp://icon" },
  { src: "http://example.com/i.png" },
  { src: " javascript:alert(1)" },
  { src: "https:" },
  { src: 7 },
  {},
  null,
];

/** A list of the server's whose bearers have good icons and bad, only bad, none, or no list at all. */
const bearers = (more: object = {}): object[] => [
  { name: "mixed", icons: [UNSAFE[0], SAFE[0], ...UNSAFE.slice(1), SAFE[1]], ...more },
  { name: "bad", icons: UNSAFE, ...more },
  { name: "none", ...more },
  { name: "odd", icons: "javascript:alert(1)", ...more },
];
const cleaned = (more: object = {}): object[] => [
  { name: "mixed", icons: SAFE, ...more },
  { name: "bad", ...more },
  { name: "none", ...more },
  { name: "odd", ...more },
];

async function clientOf(result: object): Promise<Client> {
  const serverInfo = { name: "s", version: "1", icons: [...UNSAFE, ...SAFE] };
  const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
  const server = await scripted(
    () => ({ result: { resultType: "complete", ...result, _meta } }),
    () => ({ result: { ...DISCOVERY, _meta } }),
  );
  return connect(server.url);
}

describe("icons from a server", () => {
  const schema = { inputSchema: { type: "object" } };
  const link = { type: "resource_link", uri: "r://1" };

  test.each<[string, object, (client: Client) => Promise<unknown>, unknown]>([
    ["tools", { tools: bearers(schema) }, (c) => c.listTools().all(), cleaned(schema)],
    ["prompts", { prompts: bearers() }, (c) => c.listPrompts().all(), cleaned()],
    ["resources", { resources: bearers() }, (c) => c.listResources().all(), cleaned()],
    [
      "templates",
      { resourceTemplates: bearers() },
      (c) => c.listResourceTemplates().all(),
      cleaned(),
    ],
    [
      "links in a tool's result",
      { content: bearers(link) },
      async (c) => (await c.callTool({ name: "t" })).content,
      cleaned(link),
    ],
    [
      "links in a prompt",
      { messages: bearers(link).map((content) => ({ role: "user", content })) },
      async (c) => (await c.getPrompt({ name: "p" })).messages.map(({ content }) => content),
      cleaned(link),
    ],
  ])("that are neither https: nor data: are left out of %s", async (_, result, read, left) => {
    const client = await clientOf(result);
    expect(await read(client)).toEqual(left);
    await client.close();
  });

  test("that are neither are left out of what it says of itself", async () => {
    const client = await clientOf({ content: [] });
    expect(client.server.info?.icons).toEqual(SAFE);
    const { _meta } = await client.callTool({ name: "t" });
    expect(_meta).toMatchObject({ "io.modelcontextprotocol/serverInfo": { icons: SAFE } });
    await client.close();
  });
});
