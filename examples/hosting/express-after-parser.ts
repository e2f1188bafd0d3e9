import express from "express";
import { toNodeHandler } from "mcp-parley/node";
import { makeServer } from "./janitor.js";

const app = express();
app.use(express.json({ limit: "4mb" })); // 100 kB unless said otherwise
app.all("/mcp", toNodeHandler(makeServer(), { body: "parsed" }));

const listener = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.error("Serving", listener.address());
});
