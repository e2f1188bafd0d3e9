import { ParleyError, isParleyError } from "../protocol/errors.js";
import type { Awaitable } from "../protocol/json.js";
import type { Claims } from "../state/claims.js";
import type { Principal } from "../state/principal.js";
import type { States } from "../state/states.js";
import type { Journal } from "./journal.js";

/** Seals a flow's state. Where it is too large the error names what takes the room. */
export function sealState(
  states: States,
  claims: Claims,
  principal: Principal | undefined,
  journal: Journal,
): Awaitable<string> {
  try {
    return states.seal(claims, principal);
  } catch (error) {
    if (!isParleyError(error, "state_too_large")) throw error;
    const largest = journal
      .sizes()
      .slice(0, 3)
      .map(({ kind, key, bytes }) => `${kind} '${key}' (${String(bytes)} bytes)`);
    throw new ParleyError("state_too_large", `${error.message} Largest: ${largest.join(", ")}.`, {
      cause: error,
    });
  }
}
