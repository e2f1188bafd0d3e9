import { createMcpServer, form, text } from "mcp-parley";
import type { Call, McpServer } from "mcp-parley";

const notes = new Map<string, string[]>();

/** A subject is one person under its issuer alone. */
function ownerOf({ principal }: Call): string {
  return JSON.stringify([principal?.issuer, principal?.subject]);
}

export function notesServer(): McpServer {
  const server = createMcpServer({ name: "notes", version: "1.0.0" });

  server.tool("read", { description: "Reads your notes", scopes: ["notes:read"] }, (_, call) => {
    const mine = notes.get(ownerOf(call)) ?? [];
    return text(mine.join("\n") || "No notes.");
  });

  server.tool(
    "erase",
    { description: "Erases your notes", scopes: ["notes:write"] },
    async (_, call) => {
      await call.ask("sure", form("Erase all your notes?"));
      await call.once("erase", () => notes.delete(ownerOf(call)));
      return text("Erased.");
    },
  );
  return server;
}
