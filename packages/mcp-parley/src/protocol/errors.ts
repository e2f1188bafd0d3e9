import type { JSONValue } from "./json.js";

/** Every `code` a {@link ParleyError} can carry. Codes are stable; messages are not. */
export type ParleyErrorCode =
  // how a question ended
  | "declined"
  | "cancelled"
  | "capability_missing"
  | "question_invalid"
  | "question_conflict"
  | "question_unstable"
  | "repeats_exhausted"
  // how a flow ended
  | "diverged"
  | "effect_unknown"
  | "effect_conflict"
  | "not_done"
  | "value_invalid"
  | "user_error"
  // state, keys, stores
  | "state_too_large"
  | "key_invalid"
  | "key_unsafe"
  | "keys_missing"
  | "store_unavailable"
  | "store_full"
  | "store_lost"
  // the client
  | "rpc"
  | "result_invalid"
  | "answer_missing"
  | "answer_invalid"
  | "rounds_exhausted"
  | "time_exhausted"
  | "pending_invalid"
  | "pending_foreign"
  | "transport_failed"
  | "timeout"
  | "unauthorized"
  | "authorization_failed"
  | "legacy_server"
  | "version_unsupported"
  | "aborted"
  // a rehearsal
  | "finding"
  // set-up
  | "usage";

/** The base of every error Parley throws. Decide by `code`, never by the message. */
export class ParleyError<Code extends ParleyErrorCode = ParleyErrorCode> extends Error {
  override readonly name = "ParleyError";
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A JSON-RPC error: thrown by a handler it goes to the client as it stands, thrown by the client
 * it is what the server answered. A handler's own codes are whole numbers outside -32768 to -32000;
 * under a code that is not its to use the error is an internal one, and goes to the log.
 * Specification: basic/index, Error Codes.
 */
export class RpcError extends ParleyError<"rpc"> {
  /** The JSON-RPC error code. */
  readonly rpcCode: number;
  /** The error's `data`, if it has any. */
  readonly data: JSONValue | undefined;

  constructor(rpcCode: number, message: string, data?: JSONValue, options?: ErrorOptions) {
    super("rpc", message, options);
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

/** True for an error of Parley's, with that `code` where one is given. */
export function isParleyError<Code extends ParleyErrorCode>(
  error: unknown,
  code?: Code,
): error is ParleyError<Code> {
  return error instanceof ParleyError && (code === undefined || error.code === code);
}
