import type { Logger } from "../flow/options.js";
import { ParleyError } from "../protocol/errors.js";
import type { Authenticate } from "../auth/authenticate.js";
import { type Host, readHost } from "./hosts.js";
import { loggerOf } from "./logger.js";
import { KEEP_ALIVE_MS } from "./sse.js";

/** The largest body, and the largest line on stdio, by default, in bytes. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Settings of both HTTP handlers. */
export interface HttpOptions {
  /**
   * The names this server goes by in `Host` headers, such as `mcp.example.com` (on any port) or
   * `mcp.example.com:8443`; every other is refused with 403. Where it is left out, a connection over
   * loopback must name `localhost`, `127.0.0.1` or `[::1]`, on any port, and other connections may
   * name anything. Together with the check of `Origin` this keeps a web page from reaching the
   * server by pointing its own name at it (DNS rebinding). Behind a proxy on the same machine that
   * passes `Host` on, list the public names. Headers such as `X-Forwarded-Host` are never read.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * The web origins whose pages may call this server, such as `https://app.example.com`; they also
   * get the CORS headers a browser asks for. A request without an `Origin` comes from no page and
   * passes; so does one from this server's own origin, as far as its host name is known: listed in
   * `allowedHosts`, or loopback. Every other is refused with 403. Default: none.
   * Specification: basic/transports/streamable-http, Security.
   */
  readonly allowedOrigins?: readonly string[];
  /** The largest request body in bytes; more is refused with 413. Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Who is calling. Default: every caller is anonymous. */
  readonly authenticate?: Authenticate;
  /** How often a comment keeps an open stream from falling silent, in milliseconds. Default: 15,000. */
  readonly keepAliveMs?: number;
  /** Where faults of this server's own are reported. Default: `console`; false is silent. */
  readonly log?: Logger | false;
}

/** The settings, checked once when the handler is made. */
export interface HttpPolicy {
  readonly hosts: readonly Host[] | undefined;
  readonly origins: ReadonlySet<string>;
  readonly maxBodyBytes: number;
  readonly authenticate: Authenticate | undefined;
  readonly keepAliveMs: number;
  readonly log: Logger;
}

/** Throws a `usage` error where a setting can't be what was meant. */
export function httpPolicy(options: HttpOptions): HttpPolicy {
  return {
    hosts: options.allowedHosts?.map(hostEntry),
    origins: new Set(options.allowedOrigins?.map(originEntry)),
    maxBodyBytes: positive("maxBodyBytes", options.maxBodyBytes ?? MAX_MESSAGE_BYTES),
    authenticate: options.authenticate,
    keepAliveMs: positive("keepAliveMs", options.keepAliveMs ?? KEEP_ALIVE_MS),
    log: loggerOf(options.log),
  };
}

/** A setting that counts something: a positive safe integer, or a `usage` error that names it. */
export function positive(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new ParleyError("usage", `${name} must be a positive integer, not ${String(value)}`);
}

function hostEntry(entry: string): Host {
  const host = readHost(entry);
  if (host !== undefined) return host;
  const hint = "give a host name, or a host name and a port, without a scheme or a path";
  throw new ParleyError("usage", `allowedHosts: ${JSON.stringify(entry)} is no host; ${hint}`);
}

function originEntry(entry: string): string {
  if (URL.canParse(entry) && new URL(entry).origin === entry) return entry;
  const hint = "give scheme, host and port as a browser sends them, such as https://example.com";
  throw new ParleyError("usage", `allowedOrigins: ${JSON.stringify(entry)} is no origin; ${hint}`);
}
