import type { ClientCapabilities } from "./capabilities.js";
import type { InputRequest } from "./input-request.js";
import { CREATE_MESSAGE, ELICIT, LIST_ROOTS } from "./methods.js";

/**
 * What a client must have declared before it may be asked this. Specification: client/elicitation,
 * client/sampling and client/roots, Capabilities.
 */
export function requiredBy(request: InputRequest): ClientCapabilities {
  switch (request.method) {
    case ELICIT:
      return { elicitation: request.params.mode === "url" ? { url: {} } : { form: {} } };
    case CREATE_MESSAGE: {
      const { tools, toolChoice, includeContext = "none" } = request.params;
      const sampling: NonNullable<ClientCapabilities["sampling"]> = {};
      if (tools !== undefined || toolChoice !== undefined) sampling.tools = {};
      if (includeContext !== "none") sampling.context = {};
      return { sampling };
    }
    case LIST_ROOTS:
      return { roots: {} };
  }
}
