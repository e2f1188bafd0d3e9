/**
 * Bytes of a tuple of parts, each preceded by its length as four bytes, big-endian. Different
 * tuples never have the same bytes, which plain concatenation does not promise.
 */
export function tuple(parts: readonly (string | Uint8Array)[]): Buffer {
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part, "utf8") : part;
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(bytes.length);
    pieces.push(length, bytes);
  }
  return Buffer.concat(pieces);
}
