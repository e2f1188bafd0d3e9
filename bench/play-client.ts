import { Agent, request } from "node:http";
import { Agent as Undici } from "undici";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ConnectOptions, connect } from "mcp-parley/client";
import type { ClientName } from "./clients.js";

/*
 * One client under measurement, in a process of its own: node play-client.js NAME URL. It drives as
 * many flows as each message says, and answers with the CPU that one took, in µs.
 */

const CALL = { name: "flow", arguments: { branch: "old" } };
const CONTENT = { reason: "merged last week" };
const IN_FLIGHT = 16;

const CLIENTS: Record<ClientName, (url: string) => Promise<() => Promise<unknown>>> = {
  async raw(url) {
    const agent = new Agent({ keepAlive: true });
    return () => rawFlow((text) => post(url, agent, text));
  },
  parley: (url) => ours(url),
  async "raw, undici"(url) {
    const agent = new Undici();
    return () => rawFlow((text) => postUndici(url, agent, text));
  },
  async "barest, undici"(url) {
    const agent = new Undici();
    const { origin, pathname: path } = new URL(url);
    return () => rawFlow((text) => dispatch(origin, path, agent, text));
  },
  "parley, undici": (url) => ours(url, { dispatcher: new Undici() }),
  async official(url) {
    const client = new Client(
      { name: "bench", version: "1.0.0" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
    );
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: CONTENT }));
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return () => client.callTool(CALL);
  },
};

async function ours(url: string, options: ConnectOptions = {}): Promise<() => Promise<unknown>> {
  const client = await connect(url, {
    ...options,
    answer: { form: () => ({ action: "accept", content: CONTENT }) },
  });
  return () => client.callTool(CALL);
}

const [name, url = ""] = process.argv.slice(2);
const flow = await CLIENTS[name as ClientName](url);
process.on("message", (flows: number) => {
  void cpuOf(flows, flow).then((cpu) => process.send?.(cpu));
});
process.send?.("ready");

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

async function rawFlow(send: (text: string) => Promise<string>): Promise<void> {
  const first = JSON.parse(await send(body({}))) as Answered;
  const inputResponses = { why: { action: "accept", content: CONTENT } };
  const { requestState } = first.result;
  JSON.parse(await send(body({ requestState, inputResponses })));
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

const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": CALL.name,
};

/** The same as one list, which `undici` need not take apart. */
const LISTED = Object.entries(HEADERS).flat();

async function postUndici(url: string, dispatcher: Undici, body: string): Promise<string> {
  const { origin, pathname: path } = new URL(url);
  const answer = await dispatcher.request({ origin, path, method: "POST", headers: HEADERS, body });
  return answer.body.text();
}

function dispatch(origin: string, path: string, agent: Undici, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const options = {
      origin,
      path,
      method: "POST",
      headers: LISTED,
      body,
      bodyTimeout: 0,
      headersTimeout: 0,
    };
    agent.dispatch(options, {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (_controller, chunk) => void (text += chunk.toString()),
      onResponseEnd: () => resolve(text),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

function post(url: string, agent: Agent, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { ...HEADERS, "content-length": Buffer.byteLength(text) };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    });
    sent.on("error", reject);
    sent.end(text);
  });
}
