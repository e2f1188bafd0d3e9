import type { ElicitResult, FormContent } from "../protocol/elicitation.js";

/** The user fills in the form, or agrees to open the page. */
export function accept(content?: FormContent): ElicitResult {
  return content === undefined ? { action: "accept" } : { action: "accept", content };
}

/** The user says no. */
export function decline(): ElicitResult {
  return { action: "decline" };
}

/** The user says nothing, and closes the question. */
export function cancel(): ElicitResult {
  return { action: "cancel" };
}
