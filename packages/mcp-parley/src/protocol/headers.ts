// How a request's body is mirrored in HTTP headers. Specification:
// basic/transports/streamable-http, Request Metadata.

export const PROTOCOL_VERSION_HEADER = "MCP-Protocol-Version";
export const METHOD_HEADER = "Mcp-Method";
export const NAME_HEADER = "Mcp-Name";
/** Followed by the name a tool's `x-mcp-header` gives. */
export const PARAM_HEADER_PREFIX = "Mcp-Param-";

const PREFIX = "=?base64?";
const SUFFIX = "?=";

/** Visible ASCII with spaces inside: what travels as it is. */
const PLAIN = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

/** What a field value may hold at all: visible ASCII, spaces and tabs. */
const FIELD_VALUE = /^[\t -~]*$/;

/**
 * Writes a value so that it survives a header: as it is where it can, otherwise as the base64 of
 * its UTF-8 between `=?base64?` and `?=`. So does a value that looks like that already. A lone
 * surrogate has no UTF-8 and becomes U+FFFD. Never throws.
 */
export function encodeHeaderValue(value: string): string {
  const looksEncoded = value.startsWith(PREFIX) && value.endsWith(SUFFIX);
  if (PLAIN.test(value) && !looksEncoded) return value;
  let bytes = "";
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  return PREFIX + btoa(bytes) + SUFFIX;
}

/**
 * Reads a value out of a header; undefined where it holds what no header may, or where what is
 * between the markers is not canonical standard base64 of valid UTF-8. Never throws.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!FIELD_VALUE.test(value)) return undefined;
  const isEncoded =
    value.length >= PREFIX.length + SUFFIX.length &&
    value.startsWith(PREFIX) &&
    value.endsWith(SUFFIX);
  if (!isEncoded) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  try {
    const bytes = atob(base64);
    // atob forgives missing padding, white space and stray bits; encoding again does not
    if (btoa(bytes) !== base64) return undefined;
    return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The text a tool's argument is mirrored as; undefined where no header is sent, because the
 * argument is missing, null or no string, safe integer or boolean.
 */
export function paramText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(value);
  return undefined;
}
