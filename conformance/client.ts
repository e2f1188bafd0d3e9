/*
 * The client the referee plays against: `node conformance/dist/client.js URL`, told by
 * MCP_CONFORMANCE_SCENARIO what to do. Ends with 0 when it could do that.
 */
import { type AnswerFunctions, type Client, type ToolCall, connect } from "mcp-parley/client";
import { writeSync } from "node:fs";
import { authorizationFor, hasToFail, mayEndIn } from "./fixtures/authorization.js";
import { exitLine } from "./fixtures/exit-line.js";

/** What a scenario has the client do once it is connected. */
type Play = (client: Client) => Promise<unknown>;

const plays: Readonly<Record<string, Play>> = {
  auth: async (client) => {
    await client.listTools().all();
    await client.callTool({ name: "test-tool", arguments: {} });
  },

  tools_call: async (client) => {
    await client.listTools().all();
    return client.callTool({ name: "add_numbers", arguments: { a: 2, b: 3 } });
  },

  "request-metadata": (client) => client.listTools().all(),

  "sep-2322-client-request-state": async (client) => {
    for (const tool of ["echo_state", "no_state", "unrelated", "no_result_type"]) {
      await client.callTool({ name: `test_mrtr_${tool}`, arguments: {} });
    }
  },

  "http-standard-headers": async (client) => {
    const [tool] = await client.listTools().all();
    if (tool !== undefined) await client.callTool({ name: tool.name, arguments: {} });
    const [resource] = await client.listResources().all();
    if (resource !== undefined) await client.readResource({ uri: resource.uri });
    const [prompt] = await client.listPrompts().all();
    if (prompt !== undefined) await client.getPrompt({ name: prompt.name });
  },

  "http-custom-headers": async (client) => {
    await client.listTools().all();
    for (const call of told().toolCalls ?? []) await client.callTool(call);
  },

  "http-invalid-tool-headers": async (client) => {
    // All that are left in the list are called, so that one too many would be seen.
    for (const { name } of await client.listTools().all()) {
      await client.callTool({ name, arguments: { region: "us-west1" } });
    }
  },

  "json-schema-ref-no-deref": (client) => client.listTools().all(),

  "json-schema-2020-12-preservation": async (client) => {
    const tools = await client.listTools().all();
    const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
    return client.callTool({ name: "json_schema_echo", arguments: { schema } });
  },
};

/** What the referee tells the client besides, for scenarios that need it. */
function told(): { toolCalls?: ToolCall[] } {
  return JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { toolCalls?: ToolCall[] };
}

/** Yes to everything, as the referee's scenarios want it. */
const answer: AnswerFunctions = {
  form: () => ({ action: "accept", content: { confirmed: true } }),
  url: () => ({ action: "accept" }),
  sample: () => ({
    role: "assistant",
    content: { type: "text", text: "a model's answer" },
    model: "none",
  }),
  roots: () => ({ roots: [{ uri: "file:///" }] }),
};

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const url = process.argv.at(-1) ?? "";
const play = plays[scenario.startsWith("auth/") ? "auth" : scenario];
if (play === undefined) throw new Error(`Nothing is known of the scenario "${scenario}"`);

// The referee waits for its clients without end: none may hang.
setTimeout(() => {
  console.error(`${scenario} took too long`);
  process.exit(1);
}, 120_000).unref();
process.on("exit", (code) => writeSync(1, exitLine(code)));

try {
  const client = await connect(url, {
    answer,
    info: { name: "parley-conformance", version: "1.0.0" },
    limits: { probeTime: 60_000 }, // dozens of clients start at once
    authorization: await authorizationFor(scenario, url),
  });
  await play(client);
  await client.close();
  if (hasToFail(scenario)) throw new Error(`${scenario} should have failed`);
} catch (error) {
  // Where a scenario wants the client to stop, the judge looks at what it did before.
  if (!mayEndIn(scenario, error)) throw error;
}
