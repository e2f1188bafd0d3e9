import { serve } from "mcp-parley/node";
import type { Serving } from "mcp-parley/node";
import { protect } from "./protect.js";
import { notesServer } from "./server.js";

/** On Node: the endpoint, and its metadata beside it. */
export function serveNotes(resource: string, issuer: string, port: number): Promise<Serving> {
  return serve(notesServer(), { port, authenticate: protect(resource, issuer) });
}
