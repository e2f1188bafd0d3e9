import { createMcpServer, form, structured } from "mcp-parley";
import type { McpServer, ServerOptions } from "mcp-parley";
import { z } from "zod";
import type { Provider } from "./provider.js";

const order = z.object({ order: z.string(), amount: z.number().positive() });

/** A shop that charges an order once: however often it is asked, by whichever instance. */
export function shop(provider: Provider, options: ServerOptions = {}): McpServer {
  const server = createMcpServer({ name: "shop", version: "1.0.0" }, options);

  server.tool(
    "pay",
    { description: "Pays for an order", inputSchema: order },
    async ({ order, amount }, call) => {
      await call.ask("sure", form(`Pay ${String(amount)} for ${order}?`));
      const { receipt } = await call.once(
        "charge",
        ({ idempotencyKey }) => provider.charge(idempotencyKey, amount),
        {
          recover: ({ idempotencyKey }) => provider.find(idempotencyKey), // if a worker vanishes half way
          per: { key: order, scope: "server", keepFor: 7 * 24 * 60 * 60_000 }, // across flows, for a week
        },
      );
      return structured({ receipt });
    },
  );
  return server;
}
