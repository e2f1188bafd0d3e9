import type { IncomingMessage, ServerResponse } from "node:http";
import { ParleyError } from "../protocol/errors.js";
import type { Authenticate } from "./authenticate.js";
import { type ResourceMetadata, metadataAnswer } from "./metadata.js";

/** Answers where the metadata is; gives undefined, or calls `next`, everywhere else. */
export type MetadataFetchHandler = (request: Request) => Response | undefined;

/** A listener for `node:http`, and a handler for Express and its like. Without `next`, 404. */
export type MetadataNodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void,
) => void;

/**
 * Serves the metadata of `authenticate` to whatever speaks the web's Request and Response. Put it
 * before the MCP handler: `metadata(request) ?? mcp(request)`. Throws `usage` for an `authenticate`
 * that has none. Specification: RFC 9728, section 3.
 */
export function metadataFetchHandler(authenticate: Authenticate): MetadataFetchHandler {
  const metadata = metadataOf(authenticate);
  return (request) => {
    const answer = metadataAnswer(metadata, request.method, new URL(request.url).pathname);
    return answer && new Response(answer.text ?? null, answer);
  };
}

/**
 * Serves the metadata of `authenticate` under `node:http` and Express. Mount it at the root, since
 * its paths begin with `/.well-known`. `serve` needs none: it answers there by itself. Throws
 * `usage` for an `authenticate` that has none. Specification: RFC 9728, section 3.
 */
export function metadataNodeHandler(authenticate: Authenticate): MetadataNodeHandler {
  const metadata = metadataOf(authenticate);
  return (request, response, next) => {
    if (answerMetadata(metadata, request, response)) return;
    if (next === undefined) response.writeHead(404, { "content-length": 0 }).end();
    else next();
  };
}

/** Answers a request for the metadata; false, and nothing done, for any other. */
export function answerMetadata(
  metadata: ResourceMetadata,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  // Express takes the path it is mounted at off `url`.
  const { originalUrl, url = "" } = request as IncomingMessage & { originalUrl?: string };
  const [path = ""] = (originalUrl ?? url).split("?", 1);
  const answer = metadataAnswer(metadata, request.method ?? "", path);
  if (answer === undefined) return false;
  response.writeHead(answer.status, answer.headers).end(answer.text);
  return true;
}

function metadataOf({ metadata }: Authenticate): ResourceMetadata {
  if (metadata !== undefined) return metadata;
  throw new ParleyError("usage", "This authenticate has no metadata: make it with bearer()");
}
