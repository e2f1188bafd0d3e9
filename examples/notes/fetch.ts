import { metadataFetchHandler } from "mcp-parley/auth";
import { toFetchHandler } from "mcp-parley/fetch";
import { protect } from "./protect.js";
import { notesServer } from "./server.js";

/** Where requests are the web's: Hono, Next.js, Deno, Bun, Workers. */
export function notesHandler(resource: string, issuer: string) {
  const authenticate = protect(resource, issuer);
  const metadata = metadataFetchHandler(authenticate);
  const mcp = toFetchHandler(notesServer(), { authenticate });
  return async (request: Request): Promise<Response> => metadata(request) ?? mcp(request);
}
