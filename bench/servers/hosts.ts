import type { RequestListener } from "node:http";
import { toFetchHandler } from "mcp-parley/fetch";
import { toNodeHandler } from "mcp-parley/node";
import type { Dispatcher } from "mcp-parley/node";

/*
 * What serves: each of our handlers as it is, and inside the frameworks people have. A framework is
 * loaded only where it serves, since memory is measured too.
 */
export const HOSTS = {
  node: (server) => toNodeHandler(server),
  fetch: (server) => listening(toFetchHandler(server)),
  express: async (server) => {
    const { default: express } = await import("express");
    return express().post("/mcp", toNodeHandler(server)) as RequestListener;
  },
  hono: async (server) => {
    const { Hono } = await import("hono");
    const handler = toFetchHandler(server);
    return listening(new Hono().post("/mcp", (context) => handler(context.req.raw)).fetch);
  },
  fastify: async (server) => {
    const { fastify } = await import("fastify");
    const handler = toNodeHandler(server);
    const app = fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _body, done) => done(null));
    app.post("/mcp", (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
    await app.ready();
    return app.routing.bind(app);
  },
} satisfies Record<string, (server: Dispatcher) => RequestListener | Promise<RequestListener>>;

export type HostName = keyof typeof HOSTS;

async function listening(
  handler: (request: Request) => Response | Promise<Response>,
): Promise<RequestListener> {
  const { getRequestListener } = await import("@hono/node-server");
  const listener = getRequestListener(handler);
  return (request, response) => void listener(request, response);
}
