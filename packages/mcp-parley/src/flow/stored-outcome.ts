import { missingCapabilities } from "../protocol/capabilities.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { InputRequest } from "../protocol/input.js";
import { requiredBy } from "../protocol/required-by.js";
import { capabilityMissing } from "./refusals.js";
import type { RoundError, RoundOutcome } from "./request.js";

/** What a round came to, as the ledger keeps it: the very bytes of the result. */
export function encodeOutcome(outcome: RoundOutcome): string {
  switch (outcome.kind) {
    case "complete":
      return `c${outcome.text}`;
    case "input_required":
      return `i${outcome.text}`;
    case "error":
      return `e${JSON.stringify(outcome.error)}`;
  }
}

/** Reads it back. Questions are held against the capabilities of the request that gets them now. */
export function decodeOutcome(stored: string, capabilities: ClientCapabilities): RoundOutcome {
  const text = stored.slice(1);
  switch (stored[0]) {
    case "c":
      return { kind: "complete", text };
    case "i":
      return uncovered(text, capabilities) ?? { kind: "input_required", text };
    default:
      return { kind: "error", error: JSON.parse(text) as RoundError };
  }
}

function uncovered(text: string, capabilities: ClientCapabilities): RoundOutcome | undefined {
  const { inputRequests = {} } = JSON.parse(text) as {
    inputRequests?: Record<string, InputRequest>;
  };
  for (const request of Object.values(inputRequests)) {
    const missing = missingCapabilities(requiredBy(request), capabilities);
    if (missing !== undefined) return capabilityMissing(missing);
  }
  return undefined;
}
