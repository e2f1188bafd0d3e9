import { McpServer } from "@modelcontextprotocol/server";
import { form } from "mcp-parley";
import { createParley } from "mcp-parley/sdk";
import { addPlainTools, branch, said, serveOfficial, why } from "./official-tools.js";

/* The official server with our flows inside its tools. */
const parley = createParley({ log: false });

serveOfficial(() => {
  const { requestState } = parley;
  const server = new McpServer({ name: "bench", version: "1.0.0" }, { requestState });
  addPlainTools(server);
  server.registerTool(
    "flow",
    { inputSchema: branch },
    parley.flow("flow", async (_: unknown, call) => {
      const { reason } = await call.ask("why", form("Why?", why));
      return said(reason);
    }),
  );
  return server;
});
