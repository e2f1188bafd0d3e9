/**
 * Decodes base64url, or gives undefined for anything but the one spelling an encoder writes:
 * no padding, no other alphabet, no white space, no stray bits in the last character. A token
 * therefore has exactly one text.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  // Node decodes leniently. Only a canonical text survives being encoded again.
  return bytes.toString("base64url") === text ? bytes : undefined;
}
