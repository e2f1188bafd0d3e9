import { INVALID_REQUEST } from "../protocol/codes.js";
import type { JSONValue } from "../protocol/json.js";
import { type RequestId, errorText } from "../protocol/jsonrpc.js";

/** A whole HTTP answer that never reached the server, or came back from it. */
export interface HttpAnswer {
  readonly status: number;
  /** JSON text; undefined for an empty body. */
  readonly text: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Extra headers of an answer. */
export type HeaderFields = Readonly<Record<string, string>>;

/**
 * An answer that refuses the HTTP request itself. Its body is a JSON-RPC error without an id,
 * since no id has been read. Specification: basic/transports/streamable-http, Security.
 */
export function refuse(status: number, message: string, headers?: HeaderFields): HttpAnswer {
  const text = errorText(undefined, INVALID_REQUEST, message);
  return headers === undefined ? { status, text } : { status, text, headers };
}

/** An answer that is a JSON-RPC error, under 400 as every error of the envelope is. */
export function refuseMessage(
  id: RequestId | undefined,
  code: number,
  message: string,
  data?: JSONValue,
): HttpAnswer {
  return { status: 400, text: errorText(id, code, message, data) };
}
