import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  NodeStreamableHTTPServerTransport,
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import type { McpServer } from "@modelcontextprotocol/server";

type Incoming = IncomingMessage & NodeIncomingMessageLike;

/**
 * Serves clients of both eras at one address, as the SDK has it: each request of this revision by
 * a server of its own, and clients of 2025 in sessions, without which nobody could be asked.
 */
export async function serveBothEras(makeServer: () => McpServer, port: number): Promise<string> {
  const modern = toNodeHandler(createMcpHandler(makeServer, { legacy: "reject" }));
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const isFromHere = localhostHostValidation();
  const isFromThisSite = localhostOriginValidation();

  async function handle(request: Incoming, response: ServerResponse): Promise<void> {
    if (!isFromHere(request, response) || !isFromThisSite(request, response)) return;
    const body = request.method === "POST" ? await readJson(request) : undefined;
    if (body !== undefined && !(await isLegacyRequest(await toWebRequest(request, body)))) {
      await modern(request, response, body);
      return;
    }
    const id = request.headers["mcp-session-id"];
    const session =
      sessions.get(String(id)) ?? (id === undefined ? await openSession() : undefined);
    if (session === undefined) response.writeHead(404).end();
    else await session.handleRequest(request, response, body);
  }

  async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
    const session = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await makeServer().connect(session);
    return session;
  }

  const http = createServer((request, response) => {
    handle(request as Incoming, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(400);
      response.end();
    });
  });
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
