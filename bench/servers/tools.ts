import { createMcpServer, form, memoryStore, text } from "mcp-parley";
import { z } from "zod";
import { otherTools } from "./measured.js";

/* The tools that every server of ours is measured with, and every default on. */
const branch = z.object({ branch: z.string() });
const why = z.object({ reason: z.string().max(80) });

/** Where it remembers what was spent: the default, held here to be asked how large it is. */
export const store = memoryStore();

export const server = createMcpServer({ name: "bench", version: "1.0.0" }, { log: false, store });

for (let n = 0; n < otherTools; n += 1) {
  server.tool(`other_${String(n)}`, { inputSchema: branch }, () => text("other"));
}
server.tool("plain", { inputSchema: branch }, () => text("done"));
// Without marks of what was spent, to tell their memory apart from the rest.
const flow = { singleUse: process.env["BENCH_MARKS"] !== "none" };
server.tool("flow", { inputSchema: branch, flow }, async (_, call) => {
  const { reason } = await call.ask("why", form("Why?", why));
  return text(reason);
});
server.tool("five", { inputSchema: branch }, async (_, call) => {
  for (const key of ["a", "b", "c", "d"]) await call.ask(key, form(`${key}?`, why));
  return text("done");
});
