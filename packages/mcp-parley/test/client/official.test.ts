import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AnswerFunctions,
  type Client,
  type PendingCall,
  type RoundEvent,
  answered,
  connect,
} from "../../src/entry/client-node.js";
import { connectStdio } from "../../src/entry/client-stdio.js";
import { connect as connectFetch } from "../../src/entry/client.js";

/*
 * Our client against a server of the official SDK's, from npm, over both of the revision's
 * transports.
 */
const script = path.join(import.meta.dirname, "fixtures/official-server.mjs");
let http: ChildProcess;
let url: string;

beforeAll(async () => {
  http = spawn(process.execPath, [script, "--http"], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(http.stdout ?? http, "data")) as [Buffer];
  url = `http://127.0.0.1:${port.toString().trim()}/mcp`;
}, 60_000);

afterAll(() => http.kill());

const answer: AnswerFunctions = {
  form: ({ requestedSchema }) => ({
    action: "accept",
    content: "name" in requestedSchema.properties ? { name: "Ada" } : {},
  }),
  url: () => ({ action: "accept" }),
  sample: () => ({
    role: "assistant",
    content: { type: "text", text: "Paris" },
    model: "atlas",
    stopReason: "endTurn",
  }),
  roots: () => ({ roots: [{ uri: "file:///home", name: "home" }] }),
};

type Open = (onRound?: (round: RoundEvent) => void) => Promise<Client>;
const transports: [string, Open][] = [
  ["HTTP on Node", (onRound) => connect(url, { answer, onRound })],
  ["HTTP by fetch", (onRound) => connectFetch(url, { answer, onRound })],
  [
    "stdio",
    (onRound) => connectStdio({ command: process.execPath, args: [script] }, { answer, onRound }),
  ],
];

describe.each(transports)("over %s", (_name, open) => {
  test("a tool of three rounds", async () => {
    const rounds: RoundEvent[] = [];
    const client = await open((round) => rounds.push(round));
    const result = await client.callTool({ name: "wizard", arguments: {} });
    await client.close();
    expect(client.server.info).toMatchObject({ name: "official", version: "2.4.0" });
    expect(result.content).toEqual([{ type: "text", text: "Ada likes green" }]);
    expect(rounds.map(({ questions }) => Object.keys(questions))).toEqual([
      ["name"],
      ["colour"],
      [],
    ]);
  });

  test("a prompt and a resource of three rounds", async () => {
    const client = await open();
    const [prompt, resource] = await Promise.all([
      client.getPrompt({ name: "wizard", arguments: {} }),
      client.readResource({ uri: "test://wizard" }),
    ]);
    await client.close();
    expect(prompt.messages).toEqual([
      { role: "user", content: { type: "text", text: "Ada likes green" } },
    ]);
    expect(resource.contents).toMatchObject([{ uri: "test://wizard", text: "Ada likes green" }]);
  });

  test("a link, a model and roots in one round", async () => {
    const client = await open();
    const { content } = await client.callTool({ name: "everything", arguments: {} });
    await client.close();
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
      page: { action: "accept" },
      model: {
        role: "assistant",
        content: { type: "text", text: "Paris" },
        model: "atlas",
        stopReason: "endTurn",
      },
      roots: { roots: [{ uri: "file:///home", name: "home" }] },
    });
  });

  test("lists, progress, and many calls at once", async () => {
    const client = await open();
    expect((await client.listTools().all()).map(({ name }) => name)).toEqual([
      "wizard",
      "everything",
      "slow",
    ]);
    const progress: number[] = [];
    await client.callTool(
      { name: "slow", arguments: {} },
      { onProgress: (update) => progress.push(update.progress) },
    );
    expect(progress).toEqual([1, 2, 3]);
    const results = await Promise.all(
      Array.from({ length: 10 }, () => client.callTool({ name: "wizard", arguments: {} })),
    );
    await client.close();
    for (const { content } of results)
      expect(content).toEqual([{ type: "text", text: "Ada likes green" }]);
  });
});

test("a pending call is put to rest as JSON between its rounds, each with a client of its own", async () => {
  let stored: string | undefined;
  const steps: ((pending: PendingCall<"tools/call">) => PendingCall<"tools/call">)[] = [
    (pending) => answered(pending, "name", { action: "accept", content: { name: "Bo" } }),
    (pending) => answered(pending, "colour", { action: "accept", content: { colour: "red" } }),
  ];
  const first = await connect(url, { capabilities: { elicitation: { form: {} } } });
  let turn = await first.begin("tools/call", { name: "wizard", arguments: {} });
  await first.close();
  for (const step of steps) {
    if (turn.kind !== "input_required") throw new Error(turn.kind);
    stored = JSON.stringify(step(turn.pending));
    const next = await connectFetch(url);
    turn = await next.resume(JSON.parse(stored) as PendingCall<"tools/call">);
    await next.close();
  }
  expect(turn).toMatchObject({
    kind: "complete",
    result: { content: [{ type: "text", text: "Bo likes red" }] },
  });
});
