import { isSecureUrl } from "./urls.js";

/** Fetches a JSON object, or rejects. */
export type GetJson = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Where an issuer's metadata may be, in the order in which to look. Specification:
 * basic/authorization/authorization-server-discovery, Authorization Server Metadata Discovery.
 */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const [oauth, openid] = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
  ];
  const urls = [origin + oauth + path, origin + openid + path];
  return path === "" ? urls : [...urls, origin + path + openid];
}

/**
 * Where an issuer says its keys are. Rejects where none of its documents can be had, or names
 * another issuer: such a document is not used. Specification: RFC 8414, section 3.3.
 */
export async function discoverKeys(issuer: string, get: GetJson): Promise<URL> {
  const faults: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const { issuer: named, jwks_uri: keys } = await get(url);
      if (named !== issuer) throw new Error(`${url} is about another issuer`);
      if (typeof keys !== "string" || !URL.canParse(keys) || !isSecureUrl(new URL(keys))) {
        throw new Error(`${url} names no https jwks_uri`);
      }
      return new URL(keys);
    } catch (fault) {
      faults.push(fault);
    }
  }
  throw new AggregateError(faults, "None of its metadata documents can be used");
}
