import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpServer, form, text } from "mcp-parley";
import { toFetchHandler } from "mcp-parley/fetch";
import { toNodeHandler } from "mcp-parley/node";
import { z } from "zod";
import { otherTools, serveMeasured } from "./measured.js";

/* Ours, with every default on: sealed, bound, spent once in memory, origin and input checked. */
const server = createMcpServer({ name: "bench", version: "1.0.0" }, { log: false });
const branch = z.object({ branch: z.string() });
const why = z.object({ reason: z.string().max(80) });

for (let n = 0; n < otherTools; n += 1) {
  server.tool(`other_${String(n)}`, { inputSchema: branch }, () => text("other"));
}
server.tool("plain", { inputSchema: branch }, () => text("done"));
server.tool("flow", { inputSchema: branch }, async (_, call) => {
  const { reason } = await call.ask("why", form("Why?", why));
  return text(reason);
});
server.tool("five", { inputSchema: branch }, async (_, call) => {
  for (const key of ["a", "b", "c", "d"]) await call.ask(key, form(`${key}?`, why));
  return text("done");
});

const handler: (request: IncomingMessage, response: ServerResponse) => unknown =
  process.env["BENCH_HANDLER"] === "fetch"
    ? getRequestListener(toFetchHandler(server))
    : toNodeHandler(server);
serveMeasured((request, response) => {
  handler(request, response);
});
