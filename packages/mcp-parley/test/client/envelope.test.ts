import path from "node:path";
import { describe, expect, test } from "vitest";
import { Envelopes } from "../../src/client/envelope.js";
import { connect } from "../../src/entry/client-node.js";
import { connectStdio } from "../../src/entry/client-stdio.js";
import type { Client } from "../../src/client/client.js";
import { json, scripted, stream } from "./scripted.js";

const RESULT = {
  resultType: "complete",
  content: [],
  messages: [],
  contents: [],
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  completion: { values: [] },
  supportedVersions: ["2026-07-28"],
  capabilities: {},
};

/** Sends one request of each kind there is. */
async function everything(client: Client): Promise<void> {
  await client.discover();
  await client.callTool({ name: "t", arguments: {} });
  await client.getPrompt({ name: "p" });
  await client.readResource({ uri: "r://1" });
  await client.listTools().all();
  await client.listPrompts().all();
  await client.listResources().all();
  await client.listResourceTemplates().all();
  await client.complete({
    ref: { type: "ref/prompt", name: "p" },
    argument: { name: "a", value: "" },
  });
  const events = client.listen({ toolsListChanged: true });
  while (!(await events.next()).done);
}

/** Plays all of it over HTTP, and gives what the server received. */
async function received() {
  const server = await scripted(({ id, method }) =>
    method === "subscriptions/listen"
      ? {
          raw: (to) => {
            const _meta = { "io.modelcontextprotocol/subscriptionId": id };
            stream(to, [
              {
                jsonrpc: "2.0",
                method: "notifications/subscriptions/acknowledged",
                params: { notifications: { toolsListChanged: true }, _meta },
              },
              { jsonrpc: "2.0", id, result: { resultType: "complete", _meta } },
            ]);
          },
        }
      : { raw: (to) => json(to, 200, { jsonrpc: "2.0", id, result: RESULT }) },
  );
  const client = await connect(server.url, {
    info: { name: "tester", version: "9" },
    answer: { form: () => ({ action: "decline" }) },
  });
  await everything(client);
  await client.close();
  return server.all;
}

describe("every request", () => {
  const METHODS = [
    "server/discover",
    "server/discover",
    "tools/call",
    "prompts/get",
    "resources/read",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "completion/complete",
    "subscriptions/listen",
  ];

  test("carries the revision, the client's name and what it can do", async () => {
    const all = await received();
    expect(all.map(({ method }) => method)).toEqual(METHODS);
    for (const { params } of all) {
      expect(params._meta).toEqual({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "tester", version: "9" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
      });
    }
  });

  test("has a whole number of its own for an id", async () => {
    const ids = (await received()).map(({ id }) => id);
    expect(ids.every((id) => Number.isSafeInteger(id))).toBe(true);
    expect(new Set(ids).size).toBe(METHODS.length);
  });

  test("is one message in a POST of its own, with the headers that say what it is", async () => {
    for (const { headers, body, method } of await received()) {
      expect(JSON.parse(body)).toMatchObject({ jsonrpc: "2.0", method });
      expect(headers).toMatchObject({
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
      });
      const named = ["tools/call", "prompts/get", "resources/read"].includes(method);
      expect("mcp-name" in headers).toBe(named);
    }
  });
});

describe("what a client declares", () => {
  test("names its extensions with a prefix, or is refused", async () => {
    const server = await scripted(() => ({ result: RESULT }));
    for (const name of ["tasks", "/tasks", "com.example/", "com example/tasks"]) {
      const capabilities = { extensions: { [name]: {} } };
      const connecting = connect(server.url, { capabilities });
      if (name === "com.example/") await (await connecting).close();
      else await expect(connecting, name).rejects.toMatchObject({ code: "usage" });
    }
    expect(server.all).toHaveLength(1);
  });
});

test("over stdio, a discovery comes first, and once", async () => {
  const script = path.join(import.meta.dirname, "fixtures/first-lines.mjs");
  let said = "";
  const client = await connectStdio({
    command: process.execPath,
    args: [script],
    stderr: (text) => void (said += text),
  });
  await client.callTool({ name: "t" });
  await client.callTool({ name: "t" });
  await client.close();
  const lines = said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: unknown; method: string; params: { _meta: object } });
  expect(lines.map(({ method }) => method)).toEqual([
    "server/discover",
    "tools/call",
    "tools/call",
  ]);
  expect(lines[0]?.params._meta).toMatchObject({
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  });
});

describe("a request as text", () => {
  const envelopes = new Envelopes({ name: "tester", version: "9" });
  const written = (
    asking: Partial<Parameters<Envelopes["text"]>[0]>,
    listeners: Parameters<Envelopes["text"]>[2] = {},
  ): { params: Record<string, unknown> } => {
    const whole = { method: "tools/call", params: {}, capabilities: {}, ...asking };
    return JSON.parse(envelopes.text(whole, 7, listeners)) as { params: Record<string, unknown> };
  };
  const meta = (capabilities: object = {}): Record<string, unknown> => ({
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "tester", version: "9" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  });

  test("without params has its _meta alone", () => {
    expect(written({})).toEqual({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { _meta: meta() },
    });
  });

  test("declares what its own call was begun with, whatever the call before declared", () => {
    const [a, b] = [{ elicitation: { form: {} } }, { sampling: {} }];
    const said = [a, a, b, a].map((capabilities) => written({ capabilities }).params["_meta"]);
    expect(said).toEqual([meta(a), meta(a), meta(b), meta(a)]);
  });

  test("keeps the caller's members of _meta but for the protocol's", () => {
    const own = { "com.example/trace": "t", "io.modelcontextprotocol/protocolVersion": "1999" };
    const { params } = written({ params: { name: "t", _meta: own } }, { logLevel: "info" });
    expect(params).toEqual({
      name: "t",
      _meta: {
        "com.example/trace": "t",
        ...meta(),
        "io.modelcontextprotocol/logLevel": "info",
      },
    });
    expect(written({ params: { _meta: "no object" } }).params).toEqual({ _meta: meta() });
  });

  test("has what a retry adds, and nothing where it adds nothing", () => {
    const params = { name: "t" };
    const answers = { q: { action: "decline" as const } };
    const retry = (more: object): object =>
      written({ params, retry: { answers: {}, ...more } }).params;
    expect(retry({})).toEqual({ name: "t", _meta: meta() });
    expect(retry({ requestState: "" })).toEqual({ name: "t", requestState: "", _meta: meta() });
    expect(retry({ answers })).toEqual({ name: "t", inputResponses: answers, _meta: meta() });
    expect(retry({ answers, requestState: '"\\' })).toEqual({
      name: "t",
      inputResponses: answers,
      requestState: '"\\',
      _meta: meta(),
    });
  });
});
