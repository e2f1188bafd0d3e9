import { ParleyError } from "../protocol/errors.js";

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Whether a URL is one on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.includes(hostname);
}

/** Whether what is fetched from a URL can't be changed on its way. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
}

/**
 * Checks an identifier that is a URL: https, or http on this machine, and neither query, fragment
 * nor credentials. Throws `usage`. Specification: basic/authorization/security-considerations,
 * Communication Security; RFC 8414 section 2, RFC 9728 section 1.2.
 */
export function checkUrl(setting: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && !/[?#\s]/.test(text) && url.username + url.password === "";
  if (isPlain && isSecureUrl(url)) return url;
  const hint = "give an https URL without query and fragment; http only on this machine";
  throw new ParleyError("usage", `${setting}: ${JSON.stringify(text)} will not do: ${hint}`);
}
