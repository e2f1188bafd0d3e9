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
import { type HttpProcess, startHttp } from "../support/processes.js";
import { connectUndici } from "../support/undici.js";

/*
 * Our client against a server of the official SDK's, from npm: what it tells its host of the rounds,
 * and calls at rest. What both can do is in ../interop/features.test.ts.
 */
const script = path.join(import.meta.dirname, "../interop/fixtures/features-official.mjs");
let http: HttpProcess;
beforeAll(async () => {
  http = await startHttp(script);
}, 60_000);
afterAll(() => http.stop());

/** The colour is left to its question's default. */
const answer: AnswerFunctions = {
  form: ({ requestedSchema }) => ({
    action: "accept",
    content: "name" in requestedSchema.properties ? { name: "Ada" } : {},
  }),
};

type Open = (onRound?: (round: RoundEvent) => void) => Promise<Client>;
const transports: [string, Open][] = [
  ["HTTP on Node", (onRound) => connect(http.url, { answer, onRound })],
  ["HTTP by undici", (onRound) => connectUndici(http.url, { answer, onRound })],
  ["HTTP by fetch", (onRound) => connectFetch(http.url, { answer, onRound })],
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
    expect(client.server.info).toMatchObject({ name: "features", version: "2.4.0" });
    expect(result.content).toEqual([{ type: "text", text: "Ada likes green" }]);
    expect(rounds.map(({ questions }) => Object.keys(questions))).toEqual([
      ["name"],
      ["colour"],
      [],
    ]);
  });
});

test("a pending call is put to rest as JSON between its rounds, each with a client of its own", async () => {
  let stored: string | undefined;
  const steps: ((pending: PendingCall<"tools/call">) => PendingCall<"tools/call">)[] = [
    (pending) => answered(pending, "name", { action: "accept", content: { name: "Bo" } }),
    (pending) => answered(pending, "colour", { action: "accept", content: { colour: "red" } }),
  ];
  const first = await connect(http.url, { capabilities: { elicitation: { form: {} } } });
  let turn = await first.begin("tools/call", { name: "wizard", arguments: {} });
  await first.close();
  for (const step of steps) {
    if (turn.kind !== "input_required") throw new Error(turn.kind);
    stored = JSON.stringify(step(turn.pending));
    const next = await connectFetch(http.url);
    turn = await next.resume(JSON.parse(stored) as PendingCall<"tools/call">);
    await next.close();
  }
  expect(turn).toMatchObject({
    kind: "complete",
    result: { content: [{ type: "text", text: "Bo likes red" }] },
  });
});
