import { once } from "node:events";
import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** The params of a request, as far as tests read them. */
export interface Params {
  readonly name: string;
  readonly arguments?: Record<string, unknown>;
  readonly cursor?: string;
  readonly requestState?: string;
  readonly inputResponses?: Record<string, unknown>;
  readonly _meta: Record<string, unknown>;
}

/** A request as a scripted server received it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly id: number | string | undefined;
  readonly method: string;
  readonly params: Params;
  readonly body: string;
  /** The client's port: the same for requests over one connection. */
  readonly port: number | undefined;
  /** Resolves once the client has hung up on this request. */
  readonly gone: Promise<void>;
}

/** What a script answers with: a result, a whole reply, or whatever it writes itself. */
export type Reply =
  { result: unknown } | { error: unknown } | { raw: (response: ServerResponse) => void };

/** An HTTP server that answers as a test tells it to, and remembers what it was asked. */
export interface ScriptedServer {
  readonly url: string;
  /** Everything but `server/discover`, in order of arrival. */
  readonly requests: Received[];
  readonly all: Received[];
}

export const DISCOVERY = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {}, prompts: {}, resources: {} },
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1.0.0" } },
};

type Script = (request: Received, index: number) => Reply | Promise<Reply>;

/** Starts one; it ends with the test. `server/discover` is answered unless `discover` says otherwise. */
export async function scripted(
  script: Script,
  discover: Script = () => ({ result: DISCOVERY }),
): Promise<ScriptedServer> {
  const all: Received[] = [];
  const requests: Received[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const message = JSON.parse(body) as { id?: number; method: string; params: Params };
      const gone = once(response, "close").then(() => undefined);
      const port = incoming.socket.remotePort;
      const received = { headers: incoming.headers, body, port, gone, id: undefined, ...message };
      all.push(received);
      const isDiscovery = message.method === "server/discover";
      if (!isDiscovery) requests.push(received);
      const reply = isDiscovery
        ? await discover(received, all.length - 1)
        : await script(received, requests.length - 1);
      if ("raw" in reply) reply.raw(response);
      else json(response, 200, { jsonrpc: "2.0", id: message.id, ...reply });
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, requests, all };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}

/** Writes messages as server-sent events; ends the stream unless told not to. */
export function stream(response: ServerResponse, messages: readonly unknown[], end = true): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
  if (end) response.end();
}

export const text = (value: string): Reply => ({
  result: { resultType: "complete", content: [{ type: "text", text: value }] },
});

export const form = (
  message: string,
  properties: Record<string, unknown> = {},
  required: string[] = [],
): unknown => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties, ...(required.length > 0 && { required }) },
  },
});

export const ask = (inputRequests: unknown, requestState?: unknown): Reply => ({
  result: { resultType: "input_required", inputRequests, requestState },
});
