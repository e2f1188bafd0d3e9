import type { ClientCapabilities } from "../../protocol/capabilities.js";
import type { InputResponse } from "../../protocol/input.js";
import { LIST_ROOTS } from "../../protocol/methods.js";
import type { Root } from "../../protocol/roots.js";
import { Asking } from "../question.js";
import type { Question, Reading } from "../question.js";

/**
 * Asks for the client's root directories. Specification: client/roots.
 * @deprecated by revision 2026-07-28 (SEP-2577): take directories as arguments instead.
 */
export function roots(): Question<Root[]> {
  return new Roots(false);
}

class Roots extends Asking<Root[]> {
  readonly kind = "roots";
  readonly requires: ClientCapabilities = { roots: {} };

  wire(): string {
    return `{"method":"${LIST_ROOTS}"}`;
  }

  read(response: InputResponse): Reading<Root[]> {
    if (!("roots" in response)) return { invalid: "The answer was not a list of roots." };
    return { answer: { action: "accept", content: response.roots } };
  }
}
