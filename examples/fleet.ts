import { createMcpServer } from "mcp-parley";
import type { McpServer } from "mcp-parley";
import { redisBus, redisStore } from "mcp-parley/redis";
import { createClient } from "redis";

/** One of many instances: what any of them sees, subscribers at all of them hear. */
export async function instance(url: string): Promise<McpServer> {
  const client = createClient({ url });
  const subscriber = client.duplicate(); // a connection that listens can do nothing else
  await Promise.all([client.connect(), subscriber.connect()]);
  const bus = redisBus({ client, subscriber });
  await bus.ready();
  return createMcpServer(
    { name: "news", version: "1.0.0" },
    { store: redisStore({ client }), bus },
  ).resource("front-page", "news://front", {}, () => "Nothing new.");
}

/** Whoever changes the page says so, wherever it runs. */
export function printed(server: McpServer): void {
  server.resourceUpdated("news://front");
}
