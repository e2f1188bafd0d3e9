import * as oauth from "oauth4webapi";
import { isScope } from "../../protocol/scope.js";

/** What a server's challenge asks for. */
export interface ClientChallenge {
  readonly error: string | undefined;
  /** The scopes that the refused request needs; undefined where it does not say. */
  readonly scopes: readonly string[] | undefined;
  /** Where the server's metadata is. */
  readonly metadataUrl: string | undefined;
}

const NOTHING: ClientChallenge = { error: undefined, scopes: undefined, metadataUrl: undefined };

/** More than any challenge needs; the time to read one grows with the square of its length. */
const MAX_CHARS = 8_192;

/**
 * Reads the `Bearer` challenge of a `WWW-Authenticate` header, wherever in it that stands; a header
 * that cannot be read, or is longer than 8,192 characters, says nothing. Specification: RFC 6750 section 3, RFC 9728 section 5.1.
 */
export async function readChallenge(header: string | undefined): Promise<ClientChallenge> {
  if (header === undefined || header.length > MAX_CHARS) return NOTHING;
  const bearer = (await challengesIn(header)).find(({ scheme }) => scheme === "bearer");
  if (bearer === undefined) return NOTHING;
  const { error, scope = "", resource_metadata: metadataUrl } = bearer.parameters;
  const scopes = scopesIn(scope);
  return { error, scopes: scopes.length === 0 ? undefined : scopes, metadataUrl };
}

/** The library reads challenges only out of a response to a request of its own: it is given ours. */
async function challengesIn(header: string): Promise<readonly oauth.WWWAuthenticateChallenge[]> {
  try {
    const headers = { "www-authenticate": header };
    const refused = new Response(null, { status: 401, headers });
    const url = new URL("https://refused.invalid");
    const given = { [oauth.customFetch]: () => Promise.resolve(refused) };
    await oauth.protectedResourceRequest("none", "GET", url, undefined, undefined, given);
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.cause;
  }
  return [];
}

/** The scopes in a list with spaces between them; what can be none is left out. */
export function scopesIn(text: string): readonly string[] {
  return [...new Set(text.split(" ").filter(isScope))];
}

/** All the scopes of several lists, each once. */
export function union(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}
