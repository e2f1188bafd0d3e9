import type { JSONValue } from "../protocol/json.js";
import { RpcError } from "../protocol/errors.js";

/** Where the SDK writes which of its errors an error is, for copies of it to know each other's. */
const BRANDS = Symbol.for("mcp.sdk.errorBrands");
const PROTOCOL_ERROR = "mcp.ProtocolError";

/** A JSON-RPC error as the SDK answers with it: by the members of what was thrown. */
export class WireError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** What a handler threw: a ProtocolError of the SDK's is a JSON-RPC error like our own. */
export function readThrown(error: unknown): unknown {
  if (!(error instanceof Error) || !isProtocolError(error)) return error;
  const { code, message, data } = error;
  return new RpcError(code, message, data, { cause: error });
}

function isProtocolError(error: Error): error is Error & { code: number; data?: JSONValue } {
  const brands: unknown = (error as { [BRANDS]?: unknown })[BRANDS];
  return brands instanceof Set && brands.has(PROTOCOL_ERROR);
}
