import { isTexts } from "../../protocol/json.js";
import { isScope } from "../../protocol/scope.js";
import { RESOURCE_PATH } from "../resource-path.js";
import { AuthorizationError } from "./errors.js";
import { type AuthHttp, getDocument } from "./http.js";

/** What a server says of its authorization. */
export interface ProtectedResource {
  /** Its identifier, character for character as it gave it. */
  readonly resource: string;
  /** The issuers of authorization servers whose tokens it takes; at least one. */
  readonly issuers: readonly string[];
  /** The scopes for basic use; undefined where it names none. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * Finds a server's metadata: at the address its challenge gave, and only where it gave none at the
 * well-known places. Specification: basic/authorization/authorization-server-discovery, Protected
 * Resource Metadata Discovery Requirements; RFC 9728, section 3.
 */
export async function findResource(
  http: AuthHttp,
  endpoint: string,
  challenged: string | undefined,
): Promise<ProtectedResource> {
  for (const url of challenged === undefined ? wellKnown(endpoint) : [challenged]) {
    const document = await getDocument(http, url);
    if (document !== undefined) return readResource(document, endpoint, url);
  }
  throw new AuthorizationError(
    "metadata_missing",
    "The server wants authorization and does not say where to get it: it has no protected resource metadata (RFC 9728).",
  );
}

function wellKnown(endpoint: string): readonly string[] {
  const url = new URL(endpoint);
  const [origin, path] = [url.origin, pathOf(url)];
  return path === ""
    ? [origin + RESOURCE_PATH]
    : [origin + RESOURCE_PATH + path, origin + RESOURCE_PATH];
}

function readResource(
  { resource, authorization_servers: issuers, scopes_supported: scopes }: Record<string, unknown>,
  endpoint: string,
  url: string,
): ProtectedResource {
  if (typeof resource !== "string" || !URL.canParse(resource)) throw invalid("no resource");
  if (!covers(resource, endpoint, url)) {
    throw new AuthorizationError(
      "resource_mismatch",
      `The server at ${endpoint} says it is another resource: no token is asked for in its name.`,
    );
  }
  if (!isTexts(issuers) || issuers.length === 0) throw invalid("no authorization_servers");
  const named = isTexts(scopes) ? scopes.filter(isScope) : undefined;
  return { resource, issuers, scopes: named };
}

/**
 * Whether a token for `resource` may be sent to the endpoint. It may where the resource is the
 * endpoint; and where it is what the endpoint lies in, if a document of the same origin says so.
 */
function covers(resource: string, endpoint: string, metadataUrl: string): boolean {
  const [whole, part] = [new URL(resource), new URL(endpoint)];
  if (whole.origin !== part.origin || resource.includes("#")) return false;
  if (whole.search !== "" && whole.search !== part.search) return false;
  const path = pathOf(whole);
  if (path === pathOf(part)) return true;
  const isAround = part.pathname.startsWith(`${path}/`);
  return isAround && new URL(metadataUrl).origin === whole.origin;
}

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, "");

function invalid(what: string): AuthorizationError {
  const message = `The server's protected resource metadata cannot be used: it names ${what}.`;
  return new AuthorizationError("metadata_invalid", message);
}
