import { describe, expect, test } from "vitest";
import { type RoundEvent, connect } from "../../src/entry/client-node.js";
import { ask, form, scripted, text } from "./scripted.js";

const accepting = { form: () => ({ action: "accept" as const }) };

describe("a retry", () => {
  test("repeats the call and carries this round's answers only, under a new id, with the whole envelope", async () => {
    const server = await scripted((_request, index) =>
      index < 3
        ? ask({ [`q${index}`]: form(`Question ${index}`) }, `state-${index}`)
        : text("done"),
    );
    const client = await connect(server.url, {
      answer: accepting,
      info: { name: "tester", version: "9" },
    });
    const call = { name: "t", arguments: { deep: { list: [1, "two", null] } }, _meta: { own: 1 } };
    const result = await client.callTool(call);
    await client.close();

    expect(result.content).toEqual([{ type: "text", text: "done" }]);
    expect(server.requests).toHaveLength(4);
    expect(new Set(server.all.map(({ id }) => id)).size).toBe(server.all.length);
    for (const { params, method, headers } of server.requests) {
      expect(method).toBe("tools/call");
      expect(params.name).toBe("t");
      expect(params.arguments).toEqual(call.arguments);
      expect(params._meta).toEqual({
        own: 1,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "tester", version: "9" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
      });
      expect(headers).toMatchObject({
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "t",
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      });
    }
    expect(server.requests.map(({ params }) => params.inputResponses)).toEqual([
      undefined,
      { q0: { action: "accept", content: {} } },
      { q1: { action: "accept", content: {} } },
      { q2: { action: "accept", content: {} } },
    ]);
  });

  test("repeats what was called, not what has become of it meanwhile", async () => {
    const server = await scripted((_request, index) =>
      index === 0 ? ask({ q: form("?") }) : text("done"),
    );
    const call = { name: "t", arguments: { a: 1 } };
    const client = await connect(server.url, {
      answer: {
        form: () => {
          call.arguments.a = 2;
          return { action: "accept" };
        },
      },
    });
    await client.callTool(call);
    await client.close();
    expect(server.requests.map(({ params }) => params.arguments)).toEqual([{ a: 1 }, { a: 1 }]);
  });

  test("answers every key, whatever words the server uses", async () => {
    const keys = ["__proto__", "constructor", "", "ключ 🔑", "toString"];
    const questions = Object.fromEntries(keys.map((key) => [key, form(key)]));
    const server = await scripted((_request, index) =>
      index === 0 ? ask(questions) : text("done"),
    );
    const seen: string[] = [];
    const client = await connect(server.url, {
      answer: {
        form: (_question, { key }) => {
          seen.push(key);
          return { action: "accept" };
        },
      },
    });
    await client.callTool({ name: "t" });
    await client.close();
    expect(seen).toEqual(keys);
    const sent = JSON.parse(server.requests[1]?.body ?? "") as {
      params: { inputResponses: object };
    };
    expect(Object.keys(sent.params.inputResponses)).toEqual(keys);
  });

  test.each([
    ["prompts/get", { name: "p" }, { resultType: "complete", messages: [] }],
    [
      "resources/read",
      { uri: "file:///Załączniki/raport.pdf" },
      { resultType: "complete", contents: [] },
    ],
  ] as const)("of %s works alike", async (method, params, result) => {
    const server = await scripted((_request, index) =>
      index === 0 ? ask({ q: form("?") }, "s") : { result },
    );
    const client = await connect(server.url, { answer: accepting });
    const done =
      method === "prompts/get" ? await client.getPrompt(params) : await client.readResource(params);
    await client.close();
    expect(done).toEqual(result);
    expect(server.requests.map((request) => request.method)).toEqual([method, method]);
    expect(server.requests[1]?.params).toMatchObject({ ...params, requestState: "s" });
  });
});

describe("headers", () => {
  test.each([
    ["file:///Załączniki/raport.pdf", "=?base64?ZmlsZTovLy9aYcWCxIVjem5pa2kvcmFwb3J0LnBkZg==?="],
    ["=?base64?abc?=", "=?base64?PT9iYXNlNjQ/YWJjPz0=?="],
    ["plain name", "plain name"],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["two\nlines", "=?base64?dHdvCmxpbmVz?="],
  ])("carry the name %j", async (name, header) => {
    const server = await scripted(() => text("done"));
    const client = await connect(server.url);
    await client.callTool({ name });
    await client.close();
    expect(server.requests[0]?.headers["mcp-name"]).toBe(header);
  });
});

test("concurrent calls, lists and reads share nothing", async () => {
  const server = await scripted(({ method, params }) => {
    if (method === "tools/list") return { result: { resultType: "complete", tools: [] } };
    if (params.name === "plain") return text("plain");
    const { id } = params.arguments as { id: string };
    return params.requestState === undefined
      ? ask({ [`q-${id}`]: form(id) }, `state-of-${id}`)
      : text(`${id} ${params.requestState} ${JSON.stringify(params.inputResponses)}`);
  });
  let release = (): void => undefined;
  const allAsked = new Promise<void>((resolve) => (release = resolve));
  let asked = 0;
  const client = await connect(server.url, {
    answer: {
      // Every flow is in the middle of its round before any of them goes on.
      form: async ({ message }) => {
        asked += 1;
        if (asked === 20) release();
        await allAsked;
        return { action: "accept", content: { said: message } };
      },
    },
  });
  const ids = Array.from({ length: 20 }, (_, index) => `flow${index}`);
  const flows = ids.map((id) => client.callTool({ name: "ask", arguments: { id } }));
  await allAsked;
  const [plain, tools] = await Promise.all([
    client.callTool({ name: "plain" }),
    client.listTools().all(),
  ]);
  const results = await Promise.all(flows);
  await client.close();
  expect(plain.content).toEqual([{ type: "text", text: "plain" }]);
  expect(tools).toEqual([]);
  expect(results.map(({ content }) => content[0])).toEqual(
    ids.map((id) => ({
      type: "text",
      text: `${id} state-of-${id} ${JSON.stringify({ [`q-${id}`]: { action: "accept", content: {} } })}`,
    })),
  );
  for (const { params, method } of server.requests) {
    if (method === "tools/call" && params.name === "ask") continue;
    expect(params).not.toHaveProperty("requestState");
    expect(params).not.toHaveProperty("inputResponses");
  }
  expect(new Set(server.all.map(({ id }) => id)).size).toBe(server.all.length);
});

test("each round is told, with its questions and times", async () => {
  const server = await scripted((_request, index) =>
    index === 0 ? ask({ q: form("Sure?") }, "12345") : text("done"),
  );
  const rounds: RoundEvent[] = [];
  const client = await connect(server.url, {
    answer: accepting,
    onRound: (round) => rounds.push(round),
  });
  await client.callTool({ name: "t" });
  await expect(client.callTool({ name: "t" }, { onRound: () => undefined })).resolves.toBeDefined();
  await client.close();
  expect(rounds).toMatchObject([
    { method: "tools/call", name: "t", round: 1, outcome: "input_required", stateSize: 5 },
    { method: "tools/call", name: "t", round: 2, outcome: "complete", questions: {} },
  ]);
  expect(rounds[0]?.questions).toEqual({ q: form("Sure?") });
  expect(rounds[1]?.stateSize).toBeUndefined();
  expect(rounds[1]?.id).not.toBe(rounds[0]?.id);
  for (const { took, answering } of rounds) {
    expect(took).toBeGreaterThan(0);
    expect(answering).toBeGreaterThanOrEqual(0);
  }
});
