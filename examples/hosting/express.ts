import express from "express";
import { toNodeHandler } from "mcp-parley/node";
import { makeServer } from "./janitor.js";

const app = express();
app.all("/mcp", toNodeHandler(makeServer())); // before any body parser
app.use(express.json());

const listener = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.error("Serving", listener.address());
});
