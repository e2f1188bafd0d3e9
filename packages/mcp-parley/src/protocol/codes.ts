/**
 * The JSON-RPC error codes of revision 2026-07-28 and the HTTP status each travels with.
 * Specification: basic/index (Error Codes), basic/transports/streamable-http.
 */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const HEADER_MISMATCH = -32020;
export const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021;
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** Codes that tell a client it is speaking to a server of this revision or a later one. */
export const MODERN_ERROR_CODES: ReadonlySet<number> = new Set([
  HEADER_MISMATCH,
  MISSING_REQUIRED_CLIENT_CAPABILITY,
  UNSUPPORTED_PROTOCOL_VERSION,
]);

const JSON_RPC_CODES: ReadonlySet<number> = new Set([
  PARSE_ERROR,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  INTERNAL_ERROR,
]);

/**
 * Whether an error may go out under this code because somebody chose it: one of JSON-RPC's own, or
 * outside the range JSON-RPC reserves. The protocol's codes say what only the server itself can
 * know. Specification: basic/index, Error Codes.
 */
export function mayBeChosen(code: number): boolean {
  return Number.isSafeInteger(code) && (code < -32768 || code > -32000 || JSON_RPC_CODES.has(code));
}

/**
 * The HTTP status of a JSON-RPC error. An invalid-params error is 200 unless the envelope itself
 * is at fault, which only the caller knows.
 */
export function httpStatusOf(code: number): number {
  switch (code) {
    case PARSE_ERROR:
    case INVALID_REQUEST:
    case HEADER_MISMATCH:
    case MISSING_REQUIRED_CLIENT_CAPABILITY:
    case UNSUPPORTED_PROTOCOL_VERSION:
      return 400;
    case METHOD_NOT_FOUND:
      return 404;
    default:
      return 200;
  }
}
