/** What the platform calls its error: the code says most, and `fetch` hides it in the cause. */
export function codeOf(error: unknown): string | undefined {
  for (const candidate of [error, error instanceof Error ? error.cause : undefined]) {
    if (typeof candidate !== "object" || candidate === null) continue;
    const { code } = candidate as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return undefined;
}

/** The codes, of Node and of `undici`, of a connection that ended before the answer was there. */
const HUNG_UP: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * True where the platform says that the connection was hung up on. A server may do so to one it
 * kept, just as the next request arrives: whether it read that is not known.
 */
export function isHungUp(error: unknown): boolean {
  return HUNG_UP.has(codeOf(error));
}
