import { type McpServer, type ServerOptions, createMcpServer, form, text } from "mcp-parley";
import { z } from "zod";
import { repository } from "../repository.js";

const Why = z.object({ reason: z.string().max(80) });

/** The server that every example here serves: its tool asks twice. */
export function makeServer(options?: ServerOptions): McpServer {
  const server = createMcpServer({ name: "repo-janitor", version: "1.0.0" }, options);
  server.tool(
    "delete_branch",
    { description: "Deletes a branch", inputSchema: z.object({ branch: z.string() }) },
    async ({ branch }, call) => {
      await call.ask("sure", form(`Delete ${branch}?`));
      const { reason } = await call.ask("why", form("Why?", Why));
      await call.once("delete", ({ idempotencyKey }) =>
        repository.delete(branch, { reason, idempotencyKey }),
      );
      return text(`Deleted ${branch}: ${reason}.`);
    },
  );
  return server;
}
