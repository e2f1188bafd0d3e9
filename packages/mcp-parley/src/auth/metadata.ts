import { RESOURCE_PATH } from "./resource-path.js";

/*
 * The metadata of a protected resource: how a client that was refused learns which authorization
 * servers give tokens for this server. Specification: RFC 9728, basic/authorization/
 * authorization-server-discovery.
 */

/** The document of RFC 9728, section 2. */
export interface ResourceMetadataDocument {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly string[];
  readonly resource_name?: string;
  readonly resource_documentation?: string;
}

/** A protected resource's metadata and where it is served. */
export interface ResourceMetadata {
  /** Where clients are sent: the resource's own place under `/.well-known`. */
  readonly url: string;
  /** The paths it answers at: the one in `url`, and the one of the whole origin. */
  readonly paths: readonly string[];
  readonly document: ResourceMetadataDocument;
}

/** The metadata of a resource whose identifier has been checked to be a URL. */
export function resourceMetadata(document: ResourceMetadataDocument): ResourceMetadata {
  const { origin, pathname } = new URL(document.resource);
  const own = pathname === "/" ? RESOURCE_PATH : RESOURCE_PATH + pathname;
  return { url: origin + own, paths: [...new Set([own, RESOURCE_PATH])], document };
}

/** A whole answer about metadata. */
export interface MetadataAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
}

/**
 * Any page may read it: it is public, and asked for before there is anything to send along.
 * Undefined for a path that is none of the metadata's.
 */
export function metadataAnswer(
  metadata: ResourceMetadata,
  method: string,
  path: string,
): MetadataAnswer | undefined {
  if (!metadata.paths.includes(path)) return undefined;
  const headers = { "access-control-allow-origin": "*" };
  switch (method) {
    case "GET":
    case "HEAD": {
      const text = method === "GET" ? JSON.stringify(metadata.document) : undefined;
      return { status: 200, headers: { ...headers, "content-type": "application/json" }, text };
    }
    case "OPTIONS":
      return { status: 204, headers: { ...headers, ...PREFLIGHT }, text: undefined };
    default:
      return { status: 405, headers: { ...headers, allow: "GET, HEAD, OPTIONS" }, text: undefined };
  }
}

/** Clients ask with headers of the protocol's, such as `MCP-Protocol-Version`. */
const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "*",
  "access-control-max-age": "600",
};
