/**
 * Decodes base64url, or gives undefined for anything but the one spelling an encoder writes:
 * no padding, no other alphabet, no white space, no stray bits in the last character. A token
 * therefore has exactly one text.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const { length } = text;
  if (length % 4 === 1) return undefined;
  const bytes = Buffer.from(text, "base64url");
  // Node decodes leniently: it skips what is no digit, which leaves fewer bytes, and takes the
  // digits of the other alphabet, too.
  if (bytes.length !== Math.floor((length * 3) / 4)) return undefined;
  if (text.includes("+") || text.includes("/")) return undefined;
  // Only the last group may have bits to spare: encoded again they would be gone.
  const whole = bytes.length - (bytes.length % 3);
  return text.endsWith(bytes.toString("base64url", whole)) ? bytes : undefined;
}
