import { firstFault } from "./content-fault.js";
import { isFormValue } from "./form-value.js";
import { isObject, own, quoted } from "./json.js";
import { CREATE_MESSAGE, ELICIT, LIST_ROOTS } from "./methods.js";
import { createMessageResultFault } from "./sampling-fault.js";

/** The method an input response answers, by the member that only its result has. */
export function methodAnsweredBy(
  response: object,
): typeof ELICIT | typeof CREATE_MESSAGE | typeof LIST_ROOTS | undefined {
  if (Object.hasOwn(response, "action")) return ELICIT;
  if (Object.hasOwn(response, "role")) return CREATE_MESSAGE;
  if (Object.hasOwn(response, "roots")) return LIST_ROOTS;
  return undefined;
}

/** What is wrong with an input response, in words that follow its key; undefined if nothing is. */
export function inputResponseFault(value: unknown): string | undefined {
  if (!isObject(value)) return "is not an object";
  switch (methodAnsweredBy(value)) {
    case ELICIT:
      return elicitResultFault(value);
    case CREATE_MESSAGE:
      return createMessageResultFault(value);
    case LIST_ROOTS:
      return rootsFault(own(value, "roots"));
    case undefined:
      return "answers nothing that a server may ask";
  }
}

const ACTIONS: ReadonlySet<unknown> = new Set(["accept", "decline", "cancel"]);

function elicitResultFault(result: object): string | undefined {
  if (!ACTIONS.has(own(result, "action"))) return "has an unknown action";
  if (!Object.hasOwn(result, "content")) return undefined;
  const content = own(result, "content");
  if (!isObject(content)) return "has content that is not an object";
  const odd = Object.entries(content).find(([, value]) => !isFormValue(value));
  return odd && `has content that no form gives, in field ${quoted(odd[0])}`;
}

function rootsFault(roots: unknown): string | undefined {
  if (!Array.isArray(roots)) return "has roots that are not a list";
  const fault = firstFault(roots, rootFault);
  return fault && `has roots${fault}`;
}

function rootFault(root: unknown): string | undefined {
  if (!isObject(root)) return "is not an object";
  const uri = own(root, "uri");
  if (typeof uri !== "string" || !uri.startsWith("file://")) return "is no file:// URI";
  const name = own(root, "name");
  return name === undefined || typeof name === "string" ? undefined : "has a malformed name";
}
