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

/** How a token is shown: by itself, or with a proof of the key it is bound to. */
export type Scheme = "bearer" | "dpop";

/**
 * Reads the challenge of this scheme in a `WWW-Authenticate` header, wherever in it that stands, or
 * else the other's: a server may take both and put its metadata in one. A header that cannot be
 * read, or is longer than 8,192 characters, says nothing.
 * Specification: RFC 6750 section 3, RFC 9449 section 7.1, RFC 9728 section 5.1.
 */
export async function readChallenge(
  header: string | undefined,
  scheme: Scheme = "bearer",
): Promise<ClientChallenge> {
  if (header === undefined || header.length > MAX_CHARS) return NOTHING;
  const all = (await challengesIn(header)).filter(({ scheme }) => SCHEMES.has(scheme));
  const read = all.find((challenge) => challenge.scheme === scheme) ?? all[0];
  if (read === undefined) return NOTHING;
  const { error, scope = "" } = read.parameters;
  const metadataUrl = [read, ...all]
    .map(({ parameters }) => parameters.resource_metadata)
    .find((url) => url !== undefined);
  const scopes = scopesIn(scope);
  return { error, scopes: scopes.length === 0 ? undefined : scopes, metadataUrl };
}

const SCHEMES: ReadonlySet<string> = new Set<Scheme>(["bearer", "dpop"]);

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
