import fastify from "fastify";
import { toNodeHandler } from "mcp-parley/node";
import { makeServer } from "./janitor.js";

const app = fastify();
const handle = toNodeHandler(makeServer());

await app.register((mcp, _options, done) => {
  mcp.removeAllContentTypeParsers();
  mcp.addContentTypeParser("*", (_request, _body, next) => next(null)); // the body stays unread
  mcp.all("/mcp", (request, reply) => {
    reply.hijack(); // Parley answers
    handle(request.raw, reply.raw);
  });
  done();
});

console.error("Serving", await app.listen({ port: Number(process.env["PORT"] ?? 3000) }));
