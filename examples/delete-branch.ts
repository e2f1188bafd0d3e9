import { createMcpServer, form, text } from "mcp-parley";
import { serve } from "mcp-parley/node";
import { z } from "zod";
import { repository } from "./repository.js";

const server = createMcpServer({ name: "repo-janitor", version: "1.0.0" });

server.tool(
  "delete_branch",
  {
    description: "Deletes a branch once the user confirms",
    inputSchema: z.object({ branch: z.string() }),
  },
  async ({ branch }, call) => {
    await call.ask("sure", form(`Delete ${branch}?`)); // declined or cancelled: the call ends here, and says so
    const { reason } = await call.ask(
      "why",
      form("Why?", z.object({ reason: z.string().max(80) })),
    );
    await call.once("delete", ({ idempotencyKey }) =>
      repository.delete(branch, { reason, idempotencyKey }),
    );
    return text(`Deleted ${branch}.`);
  },
);

const { url } = await serve(server, { port: Number(process.env["PORT"] ?? 3000) });
console.error(`Serving ${url}`);
