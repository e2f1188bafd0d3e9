/*
 * One instance of the demo's server, a process of its own. It shares nothing with the others but the
 * key in PARLEY_KEYS: no store, no session, no memory.
 */
import { createMcpServer, form, text } from "mcp-parley";
import { serve } from "mcp-parley/node";
import { z } from "zod";
import type { Hello } from "./fleet.js";

const CHANNEL = z.object({ channel: z.enum(["stable", "beta", "nightly"]).default("beta") });

const server = createMcpServer({ name: "release-desk", version: "1.0.0" }, { log: false });

server.tool(
  "release",
  {
    description: "Publishes a version, once the user has confirmed and chosen a channel",
    inputSchema: z.object({ version: z.string() }),
  },
  async ({ version }, call) => {
    await call.ask("sure", form(`Publish version ${version}?`));
    const { channel } = await call.ask("where", form("On which channel?", CHANNEL));
    await call.once("publish", ({ idempotencyKey }) => publish(version, channel, idempotencyKey));
    return text(`Published ${version} on ${channel}.`);
  },
);

/** The effect: the demo's provider counts how often it happens. */
async function publish(version: string, channel: string, idempotencyKey: string): Promise<null> {
  const response = await fetch(process.env["DEMO_PROVIDER"] ?? "", {
    method: "POST",
    headers: { "idempotency-key": idempotencyKey },
    body: JSON.stringify({ version, channel }),
  });
  if (!response.ok) throw new Error(`The provider answered ${response.status}`);
  return null;
}

// Ctrl-C is for the client to handle; the demo, gone or done, ends this process.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());

const { port } = await serve(server, { port: 0 });
const hello: Hello = { port };
process.send?.(hello);
