import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  MISSING_REQUIRED_CLIENT_CAPABILITY,
} from "../protocol/codes.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { JSONValue } from "../protocol/json.js";
import type { RoundOutcome } from "./request.js";

/**
 * What a client learns of a state that is refused: always the same, except that the rightful owner
 * may learn that it has expired or was spent.
 */
export function stateRefused(reason: "expired" | "spent" | undefined): RoundOutcome {
  return reason === undefined ? REFUSED : { kind: "error", error: { ...FROZEN, data: { reason } } };
}

const FROZEN = { code: INVALID_PARAMS, message: "Invalid or expired requestState" };
const REFUSED: RoundOutcome = { kind: "error", error: FROZEN };

/** A request that cannot be read. `message` says what to mend. */
export function invalidParams(message: string): RoundOutcome {
  return { kind: "error", error: { code: INVALID_PARAMS, message } };
}

/** The client has not declared what a question needs. */
export function capabilityMissing(required: ClientCapabilities): RoundOutcome {
  return {
    kind: "error",
    error: {
      code: MISSING_REQUIRED_CLIENT_CAPABILITY,
      message: "This request needs a client capability that was not declared",
      data: { requiredCapabilities: required as JSONValue },
    },
    mendable: true,
  };
}

/** Something failed that the client can do nothing about. The detail goes to events. */
export const INTERNAL: RoundOutcome = {
  kind: "error",
  error: { code: INTERNAL_ERROR, message: "Internal error" },
  mendable: true,
};
