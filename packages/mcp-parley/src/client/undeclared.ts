import { missingCapabilities } from "../protocol/capabilities.js";
import { requiredBy } from "../protocol/required-by.js";
import { ParleyError } from "../protocol/errors.js";
import type { AskingMethod } from "../protocol/methods.js";
import type { PendingCall } from "./pending.js";
import type { Turn } from "./turns.js";

/**
 * Throws `result_invalid` where a server asks for what the client did not declare, which it must
 * not. Specification: basic/patterns/mrtr, server requirement 7; client/sampling, Capabilities.
 */
export function refuseUndeclared({ method, inputRequests, capabilities }: PendingCall): void {
  for (const [key, request] of Object.entries(inputRequests)) {
    const missing = missingCapabilities(requiredBy(request), capabilities);
    if (missing === undefined) continue;
    throw new ParleyError(
      "result_invalid",
      `The server's answer to ${method} asks under ${JSON.stringify(key)} for what this client did not declare: ${JSON.stringify(missing)}.`,
    );
  }
}

/** A turn for a host that drives the rounds: with questions it may answer, or none. */
export async function declaredOnly<Method extends AskingMethod>(
  taking: Promise<Turn<Method>>,
): Promise<Turn<Method>> {
  const turn = await taking;
  if (turn.kind === "input_required") refuseUndeclared(turn.pending);
  return turn;
}
