import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { form, text } from "mcp-parley";
import { createParley } from "mcp-parley/sdk";
import { z } from "zod";
import { repository } from "./repository.js";

const parley = createParley(); // keys, ledger, limits

function makeServer(): McpServer {
  const info = { name: "repo-janitor", version: "1.0.0" };
  const server = new McpServer(info, { requestState: parley.requestState }); // line one

  server.registerTool(
    "delete_branch",
    { inputSchema: z.object({ branch: z.string() }) },
    parley.flow("delete_branch", async ({ branch }, call) => {
      // line two, and the handler you have just seen
      await call.ask("sure", form(`Delete ${branch}?`));
      const { reason } = await call.ask("why", form("Why?", whySchema));
      await call.once("delete", ({ idempotencyKey }) =>
        repository.delete(branch, { reason, idempotencyKey }),
      );
      return text(`Deleted ${branch}.`);
    }),
  );
  return server;
}

const whySchema = z.object({ reason: z.string().max(80) });

serveStdio(makeServer);
