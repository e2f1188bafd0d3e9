/**
 * How a stream of server-sent events is written here: each message is one event of one `data` line,
 * which JSON text without line breaks always fits.
 * Specification: basic/transports/streamable-http, Receiving Messages.
 */

/** The headers a stream opens with. `X-Accel-Buffering` keeps proxies from holding events back. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** A comment, which clients skip: it keeps a silent connection from being taken for dead. */
export const KEEP_ALIVE = ": keep-alive\n\n";

/** One message as an event. */
export function event(text: string): string {
  return `data: ${text}\n\n`;
}

/** How often a stream is kept alive by default, in milliseconds: proxies give up after 30 s or more. */
export const KEEP_ALIVE_MS = 15_000;

/**
 * The most a stream may hold that its client has not read, in bytes. A client so far behind has
 * stopped reading; it is cut off before it costs this process its memory.
 */
export const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
