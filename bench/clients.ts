import { Agent, request } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { connect } from "mcp-parley/client";
import type { AnswerFunctions } from "mcp-parley/client";
import { Agent as UndiciAgent } from "undici";
import { parley } from "./contenders.js";
import { ServerProcess } from "./server-process.js";

/** Client CPU per two-round flow, in µs, over all repetitions. */
export interface ClientsMeasured {
  readonly raw: number[];
  readonly parley: number[];
  /** Ours over connections of undici's. */
  readonly undici: number[];
  readonly official: number[];
}

const CALL = { name: "flow", arguments: { branch: "old" } };
const CONTENT = { reason: "merged last week" };
const IN_FLIGHT = 16;

/** Flows before the counting begins: what they run is compiled by then. */
const WARM_UP = 6_000;

/** Drives flows with the bare pool, our client, and the official one, in this process. */
export async function clients(repetitions: number, flows: number): Promise<ClientsMeasured> {
  const server = await ServerProcess.start("parley", parley(0).env);
  const agent = new Agent({ keepAlive: true });
  const answer: AnswerFunctions = { form: () => ({ action: "accept", content: CONTENT }) };
  const dispatcher = new UndiciAgent();
  const ours = await connect(server.url, { answer });
  const overUndici = await connect(server.url, { answer, dispatcher });
  const official = new Client(
    { name: "bench", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
  );
  official.setRequestHandler("elicitation/create", () => ({ action: "accept", content: CONTENT }));
  await official.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  const measured: ClientsMeasured = { raw: [], parley: [], undici: [], official: [] };
  const round = async (flows: number): Promise<readonly [number, number, number, number]> => [
    await cpuOf(flows, () => rawFlow(server.url, agent)),
    await cpuOf(flows, () => ours.callTool(CALL)),
    await cpuOf(flows, () => overUndici.callTool(CALL)),
    await cpuOf(flows / 10, () => official.callTool(CALL)),
  ];
  try {
    await round(WARM_UP);
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const figures = await round(flows);
      measured.raw.push(figures[0]);
      measured.parley.push(figures[1]);
      measured.undici.push(figures[2]);
      measured.official.push(figures[3]);
    }
  } finally {
    await ours.close();
    await overUndici.close();
    await dispatcher.close();
    await official.close();
    agent.destroy();
    server.stop();
  }
  return measured;
}

async function cpuOf(flows: number, run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  let left = flows;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / flows;
}

interface Answered {
  readonly result: { readonly requestState?: string };
}

async function rawFlow(url: string, agent: Agent): Promise<void> {
  const first = JSON.parse(await post(url, agent, body({}))) as Answered;
  const inputResponses = { why: { action: "accept", content: CONTENT } };
  const { requestState } = first.result;
  JSON.parse(await post(url, agent, body({ requestState, inputResponses })));
}

let id = 0;

function body(extra: object): string {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const params = { ...CALL, ...extra, _meta };
  return JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tools/call", params });
}

function post(url: string, agent: Agent, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": CALL.name,
    };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    });
    sent.on("error", reject);
    sent.end(text);
  });
}
