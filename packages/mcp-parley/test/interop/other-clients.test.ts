import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { example, startHttp } from "../support/processes.js";
import type { HttpProcess } from "../support/processes.js";

/*
 * Clients that others have made drive a tool that asks twice: `@mastra/mcp` speaks this revision,
 * and the last `mcp-use` that holds a client and runs on Node 20 speaks that of 2025. Both are
 * loaded late, so that neither sends home that it was.
 */
let ours: HttpProcess;
let bothEras: HttpProcess;
beforeAll(async () => {
  vi.stubEnv("MASTRA_TELEMETRY_DISABLED", "1");
  vi.stubEnv("MCP_USE_ANONYMIZED_TELEMETRY", "false");
  [ours, bothEras] = await Promise.all([
    startHttp(path.join(import.meta.dirname, "fixtures/two-questions.mjs")),
    startHttp(example("sdk-server")),
  ]);
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await Promise.all([ours.stop(), bothEras.stop()]);
});

const ARGS = { branch: "old" };

function answering() {
  const asked: string[] = [];
  const answer = (message: string) => {
    asked.push(message);
    const content: Record<string, string> = message === "Why?" ? { reason: "merged" } : {};
    return { action: "accept" as const, content };
  };
  return { asked, answer };
}

it.each([
  ["a server of ours", () => ours, "Deleted old (merged), 1 in all."],
  ["our flow in the official SDK's server", () => bothEras, "Deleted old."],
])("@mastra/mcp 2.0.0 drives %s", async (_, host, done) => {
  const { MCPClient } = await import("@mastra/mcp");
  const { asked, answer } = answering();
  const inputRequests = async ({ params }: { params: { message: string } }) =>
    answer(params.message);
  const client = new MCPClient({ servers: { ours: { url: new URL(host().url), inputRequests } } });
  const { ours_delete_branch: tool } = await client.listTools();
  const result: unknown = await tool?.execute?.(ARGS, {} as never);
  expect(result).toMatchObject({ content: [{ type: "text", text: done }] });
  expect(asked).toEqual(["Delete old?", "Why?"]);
  await client.disconnect();
});

async function mcpUse(url: string) {
  const { MCPClient } = await import("mcp-use/client");
  const { asked, answer } = answering();
  const servers = { mcpServers: { ours: { url } } };
  const client = new MCPClient(servers, {
    onElicitation: ({ message }) => Promise.resolve(answer(message)),
  });
  return { asked, client, session: client.createSession("ours") };
}

it("mcp-use 1.34.6, of 2025-11-25, drives our flow in the official SDK's server", async () => {
  const { asked, client, session } = await mcpUse(bothEras.url);
  const result = await (await session).callTool("delete_branch", ARGS);
  expect(result).toMatchObject({ content: [{ type: "text", text: "Deleted old." }] });
  expect(asked).toEqual(["Delete old?", "Why?"]);
  await client.closeAllSessions();
});

it("mcp-use 1.34.6 is told by a server of ours which revision it speaks", async () => {
  vi.spyOn(console, "error").mockReturnValue(); // where it logs that it failed
  const { session } = await mcpUse(ours.url);
  await expect(session).rejects.toThrow(/speaks 2026-07-28 and has no initialize handshake/);
});
