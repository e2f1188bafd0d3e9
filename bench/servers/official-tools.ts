import { toNodeHandler } from "@modelcontextprotocol/node";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import type { McpServer } from "@modelcontextprotocol/server";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import { otherTools, serveMeasured } from "./measured.js";

/* What both measurements of the official server share: with its own codec, and with ours. */
export const branch = z.object({ branch: z.string() });
export const why = z.object({ reason: z.string().max(80) });

export function said(text: string): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text }] };
}

/** The tools beside those that ask. */
export function addPlainTools(server: McpServer): void {
  for (let n = 0; n < otherTools; n += 1) {
    server.registerTool(`other_${String(n)}`, { inputSchema: branch }, () => said("other"));
  }
  server.registerTool("plain", { inputSchema: branch }, () => said("done"));
}

/** Serves as the SDK's documentation has it: a server of its own for each request. */
export function serveOfficial(makeServer: () => McpServer): void {
  const handler = toNodeHandler(createMcpHandler(makeServer, { legacy: "reject" }));
  serveMeasured((request, response) => void handler(request as NodeIncomingMessageLike, response));
}
