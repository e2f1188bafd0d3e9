import { INTERNAL_ERROR, INVALID_PARAMS, httpStatusOf } from "../protocol/codes.js";
import { errorText, resultText } from "../protocol/jsonrpc.js";
import type { JSONValue } from "../protocol/json.js";
import type { RequestId } from "../protocol/jsonrpc.js";
import type { RoundOutcome } from "../flow/request.js";
import type { Reply } from "./context.js";

/** A reply that carries a result, given as JSON text. */
export function resultReply(id: RequestId, result: string): Reply {
  return { text: resultText(id, result), status: 200 };
}

/** A reply that carries an error, with the HTTP status of its code unless another is due. */
export function errorReply(
  id: RequestId | undefined,
  code: number,
  message: string,
  data?: JSONValue,
  status: number = httpStatusOf(code),
): Reply {
  return { text: errorText(id, code, message, data), status };
}

/** The reply to parameters that are not what the method takes. `why` says what they should be. */
export function malformedReply(id: RequestId, why: string): Reply {
  return errorReply(id, INVALID_PARAMS, `Invalid params: ${why}`);
}

/** The reply to a request that a flow answered. */
export function outcomeReply(id: RequestId, outcome: RoundOutcome): Reply {
  if (outcome.kind !== "error") return resultReply(id, outcome.text);
  const { code, message, data } = outcome.error;
  return errorReply(id, code, message, data);
}

/** The reply when something failed that should not have. */
export function internalReply(id: RequestId): Reply {
  return errorReply(id, INTERNAL_ERROR, "Internal error");
}
