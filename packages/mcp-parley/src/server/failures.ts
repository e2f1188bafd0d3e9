import { INTERNAL_ERROR, mayBeChosen } from "../protocol/codes.js";
import { ParleyError, RpcError, isParleyError } from "../protocol/errors.js";
import type { FailureEnd, RoundError } from "../flow/request.js";

/** Codes of errors that are the application's, outside of what JSON-RPC and the protocol reserve. */
export const USER_DECLINED = 1001;
export const USER_CANCELLED = 1002;
export const NOT_COMPLETED = 1003;
/** The server has no room for the request now; `data.retryAfterMs` says when to try again, if it is known. */
export const BUSY = 1004;
/** The caller lacks scopes; `data.scopes` says which are enough. */
export const INSUFFICIENT_SCOPE = 1005;

/** The member of `_meta` that says how a call ended that did not do what it was asked. */
export const OUTCOME_META = "mcp-parley/outcome";

/** What a handler's error is to whoever called. */
export interface Failure {
  readonly end: FailureEnd;
  /** Meant for the user. */
  readonly message: string;
  /** How the call ended, as a stable word. */
  readonly outcome: string;
  /** The JSON-RPC error where the failure is one. */
  readonly error: RoundError;
  /** True when the handler threw that very error. */
  readonly explicit: boolean;
  /** What the operator is told instead of what was thrown. */
  readonly fault?: ParleyError;
}

/** Errors whose message is meant for the user. Whatever else a handler throws stays in the server. */
const FOR_THE_USER: ReadonlySet<string> = new Set([
  "user_error",
  "not_done",
  "effect_unknown",
  "effect_conflict",
  "repeats_exhausted",
]);

/** What a handler's error is in this server, which answers under no code that is not its to use. */
export function ownFailureOf(error: unknown): Failure {
  if (!(error instanceof RpcError) || mayBeChosen(error.rpcCode)) return failureOf(error);
  const message = `A handler's error has the code ${error.rpcCode}, which is reserved: choose a whole number outside -32768 to -32000`;
  return { ...INTERNAL_FAILURE, fault: new ParleyError("usage", message, { cause: error }) };
}

/** Reads a handler's error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof RpcError) {
    const { rpcCode: code, message, data } = error;
    return {
      end: "failed",
      message,
      outcome: "failed",
      error: data === undefined ? { code, message } : { code, message, data },
      explicit: true,
    };
  }
  if (!isParleyError(error)) return INTERNAL_FAILURE;
  const { code, message } = error;
  if (code === "declined" || code === "cancelled") {
    return application(code, code, message, code === "declined" ? USER_DECLINED : USER_CANCELLED);
  }
  if (FOR_THE_USER.has(code)) return application("failed", code, message, NOT_COMPLETED);
  return INTERNAL_FAILURE;
}

const INTERNAL_FAILURE: Failure = {
  end: "failed",
  message: "Something went wrong in the server, and this was not completed.",
  outcome: "failed",
  error: { code: INTERNAL_ERROR, message: "Internal error" },
  explicit: false,
};

function application(end: FailureEnd, outcome: string, message: string, code: number): Failure {
  return { end, message, outcome, error: { code, message, data: { outcome } }, explicit: false };
}
