import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { InputRequest } from "../protocol/input.js";
import { CREATE_MESSAGE, ELICIT, LIST_ROOTS } from "../protocol/methods.js";

/**
 * The shortest question that needs what is missing, for the SDK to refuse: no tool handler of its
 * can answer with a JSON-RPC error, but a question that the client cannot be asked becomes the
 * right one, -32021, before anything is sent. Undefined where the SDK asks for no capability.
 */
export function needing(missing: ClientCapabilities): InputRequest | undefined {
  const { elicitation, sampling, roots } = missing;
  const message = "";
  if (elicitation?.url !== undefined) {
    return { method: ELICIT, params: { mode: "url", message, url: "about:blank" } };
  }
  if (elicitation !== undefined) {
    const requestedSchema = { type: "object" as const, properties: {} };
    return { method: ELICIT, params: { mode: "form", message, requestedSchema } };
  }
  // The SDK lets a client be asked for context that has not said it gives any.
  if (sampling !== undefined && (sampling.tools !== undefined || sampling.context === undefined)) {
    const tools = sampling.tools === undefined ? {} : { tools: [] };
    return { method: CREATE_MESSAGE, params: { messages: [], maxTokens: 1, ...tools } };
  }
  return roots === undefined ? undefined : { method: LIST_ROOTS };
}
