import { stringText } from "../protocol/json.js";
import type { RoundOutcome } from "./request.js";
import type { Pending } from "./round-end.js";

/** When the state expires, in ms since 1970: a hint for hosts that put calls to rest. */
export const EXPIRES_META = "mcp-parley/expires";

/**
 * The `input_required` result, as text. It carries no content and no cache hints.
 * Specification: basic/patterns/mrtr, InputRequiredResult.
 */
export function interim(
  pending: Iterable<readonly [string, Pending]>,
  state: string,
  expiresAt: number,
  meta: string,
): RoundOutcome {
  let requests = "";
  for (const [key, { question, putting }] of pending) {
    requests += `${requests === "" ? "" : ","}${stringText(key)}:${question.wire(putting)}`;
  }
  const inputRequests = requests === "" ? "" : `,"inputRequests":{${requests}}`;
  const rest = meta === "" ? "" : `,${meta}`;
  return {
    kind: "input_required",
    text: `{"resultType":"input_required"${inputRequests},"requestState":${stringText(state)},"_meta":{"${EXPIRES_META}":${String(expiresAt)}${rest}}}`,
  };
}
