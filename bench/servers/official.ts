import { toNodeHandler } from "@modelcontextprotocol/node";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import {
  McpServer,
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { otherTools, serveMeasured } from "./measured.js";

/* The official SDK as its documentation has it, with its own codec and the binding that offers. */
const codec = createRequestStateCodec<{ round: number }>({
  key: "a secret of thirty-two bytes or more",
  bind: (ctx) => `${ctx.mcpReq.method}\0${ctx.http?.authInfo?.clientId ?? ""}`,
});
const branch = z.object({ branch: z.string() });
const why = z.object({ reason: z.string().max(80) });

function makeServer(): McpServer {
  const server = new McpServer({ name: "bench", version: "1.0.0" }, { requestState: codec });
  const text = (text: string) => ({ content: [{ type: "text" as const, text }] });
  for (let n = 0; n < otherTools; n += 1) {
    server.registerTool(`other_${String(n)}`, { inputSchema: branch }, () => text("other"));
  }
  server.registerTool("plain", { inputSchema: branch }, () => text("done"));
  const asking = (name: string, rounds: number): void => {
    server.registerTool(name, { inputSchema: branch }, async (_, ctx) => {
      const round = ctx.mcpReq.requestState<{ round: number }>()?.round ?? 0;
      const given = acceptedContent(ctx.mcpReq.inputResponses, "why", why);
      if (round === rounds && given !== undefined) return text("done");
      return inputRequired({
        inputRequests: { why: inputRequired.elicit({ message: "Why?", requestedSchema: why }) },
        requestState: await codec.mint({ round: round + 1 }, ctx),
      });
    });
  };
  asking("flow", 1);
  asking("five", 4);
  return server;
}

const handler = toNodeHandler(createMcpHandler(makeServer, { legacy: "reject" }));
serveMeasured((request, response) => void handler(request as NodeIncomingMessageLike, response));
