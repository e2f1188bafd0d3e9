import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ParleyError } from "../protocol/errors.js";
import { type JSONObject, isObject } from "../protocol/json.js";
import { type AskingMethod, isAskingMethod, nameOf } from "../protocol/methods.js";
import type { ParamsOf } from "./calls.js";
import type { CallMade } from "./turns.js";

/**
 * A call as it is first made, from what the host gave: copied, so that a retry repeats what was
 * said and not what has become of it, and without members that belong to a retry alone.
 * `usage` for what is no call.
 */
export function callOf<Method extends AskingMethod>(
  method: Method,
  given: ParamsOf<Method>,
  capabilities: ClientCapabilities,
): CallMade<Method> {
  if (!isAskingMethod(method)) {
    throw new ParleyError("usage", `${String(method)} takes one round only: call it directly.`);
  }
  const { inputResponses: _answers, requestState: _state, ...params } = copyOf(method, given);
  if (nameOf(method, params) === undefined) {
    throw new ParleyError("usage", `${method} needs the name or URI of what is called, as text.`);
  }
  return { method, params, capabilities };
}

function copyOf(method: string, given: unknown): JSONObject {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(given));
  } catch (cause) {
    throw new ParleyError("usage", `The params of ${method} are no JSON: ${String(cause)}`, {
      cause,
    });
  }
  if (!isObject(copy)) throw new ParleyError("usage", `The params of ${method} are an object.`);
  return copy as JSONObject;
}
