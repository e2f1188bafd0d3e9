/** What Node and `undici` call a connection that ended before the answer was there. */
const CODES: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * True where the connection was hung up on, as the error or one of its causes says. A server may do
 * so to a connection it kept, just as the next request arrives: whether it read that is not known.
 */
export function isHungUp(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ("code" in at && CODES.has(at.code)) return true;
  }
  return false;
}
