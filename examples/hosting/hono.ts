import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { toFetchHandler } from "mcp-parley/fetch";
import { makeServer } from "./janitor.js";

const handle = toFetchHandler(makeServer(), { allowedHosts: ["localhost", "127.0.0.1"] });
const app = new Hono();
app.all("/mcp", (c) => handle(c.req.raw));

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) }, (address) => {
  console.error("Serving", address);
});
