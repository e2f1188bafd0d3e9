/*
 * One instance of the demo's server, a process of its own. It shares nothing with the others but the
 * key in PARLEY_KEYS: no session, no memory, and no store unless DEMO_STORE names its file.
 */
import { NotDone, createMcpServer, form, text } from "mcp-parley";
import type { Store } from "mcp-parley";
import { serve } from "mcp-parley/node";
import { sqliteStore } from "mcp-parley/sqlite";
import { z } from "zod";
import type { Hello } from "./fleet.js";

const CHANNEL = z.object({ channel: z.enum(["stable", "beta", "nightly"]).default("beta") });

const file = process.env["DEMO_STORE"];
const server = createMcpServer(
  { name: "release-desk", version: "1.0.0" },
  file === undefined ? { log: false } : { log: false, store: await storeIn(file), lease: 2_000 },
);

server.tool(
  "release",
  {
    description: "Publishes a version, once the user has confirmed and chosen a channel",
    inputSchema: z.object({ version: z.string() }),
  },
  async ({ version }, call) => {
    await call.ask("sure", form(`Publish version ${version}?`));
    const { channel } = await call.ask("where", form("On which channel?", CHANNEL));
    await call.once("publish", ({ idempotencyKey }) => publish(version, channel, idempotencyKey), {
      recover: ({ idempotencyKey }) => findOut(idempotencyKey),
    });
    return text(`Published ${version} on ${channel}.`);
  },
);

/** The effect: the demo's provider counts how often it happens. */
async function publish(version: string, channel: string, idempotencyKey: string): Promise<null> {
  const response = await fetch(process.env["DEMO_PROVIDER"] ?? "", {
    method: "POST",
    headers: { "idempotency-key": idempotencyKey, "x-process": String(process.pid) },
    body: JSON.stringify({ version, channel }),
  });
  if (!response.ok) throw new Error(`The provider answered ${response.status}`);
  return null;
}

/** What became of it, when the instance that published has vanished. */
async function findOut(idempotencyKey: string): Promise<null> {
  const headers = { "idempotency-key": idempotencyKey };
  const response = await fetch(process.env["DEMO_PROVIDER"] ?? "", { headers });
  if (response.status === 404) throw new NotDone("Nothing was published");
  if (!response.ok) throw new Error(`The provider answered ${response.status}`);
  return null;
}

/** The store the instances of one machine share. */
async function storeIn(file: string): Promise<Store> {
  const { default: Database } = await import("better-sqlite3");
  return sqliteStore({ database: new Database(file) });
}

// Ctrl-C is for the client to handle; the demo, gone or done, ends this process.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());

const { port } = await serve(server, { port: 0 });
const hello: Hello = { port };
process.send?.(hello);
