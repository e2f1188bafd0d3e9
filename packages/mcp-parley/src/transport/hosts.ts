/** A `Host` header taken apart: the name in lower case, the port as written or "". */
export interface Host {
  readonly name: string;
  readonly port: string;
}

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_])?)(?::(\d{1,5}))?$/i;

/** Reads a `Host` header, or an entry of `allowedHosts`; undefined where it is neither. */
export function readHost(text: string): Host | undefined {
  const match = HOST.exec(text);
  const name = match?.[1];
  return name === undefined ? undefined : { name: name.toLowerCase(), port: match?.[2] ?? "" };
}

/**
 * True for names that always mean this machine. No attacker's DNS can point them elsewhere, so a
 * page under such a name was served from here.
 */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name);
}

/** True for the local address of a connection that never left this machine. */
export function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.");
}

/** True where `origin`, as a browser writes it, is the site of `host`, a header that could be read. */
export function isSameOrigin(origin: string, host: string): boolean {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  if (scheme === undefined) return false;
  const site = scheme + host;
  return URL.canParse(site) && new URL(site).origin === origin;
}
