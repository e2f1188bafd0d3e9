import type { ElicitRequest } from "./elicitation.js";
import { checkFormSchema } from "./form.js";
import { isObject, own, quoted } from "./json.js";
import { CREATE_MESSAGE, ELICIT, LIST_ROOTS } from "./methods.js";
import type { ListRootsRequest } from "./roots.js";
import { createMessageFault } from "./sampling-fault.js";
import type { CreateMessageRequest } from "./sampling.js";

/** Something a server needs before it can go on. Specification: basic/patterns/mrtr. */
export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;

/** One input request, or what is wrong with it in words that follow its key. */
export type ReadInputRequest = { ok: true; request: InputRequest } | { ok: false; why: string };

/**
 * Reads one input request. A form's schema is given back in the protocol's own words, without what
 * a form cannot say: the server holds the answer against all of it. Never throws.
 */
export function readInputRequest(value: unknown): ReadInputRequest {
  if (!isObject(value)) return refuse("is not an object");
  const params = own(value, "params");
  switch (own(value, "method")) {
    case ELICIT:
      return readElicit(params);
    case CREATE_MESSAGE: {
      const fault = createMessageFault(params);
      return fault === undefined ? accept(value) : refuse(fault);
    }
    case LIST_ROOTS:
      return params === undefined || isObject(params) ? accept(value) : refuse("has odd params");
    default:
      return refuse("is no request that a server may make");
  }
}

function readElicit(params: unknown): ReadInputRequest {
  if (!isObject(params)) return refuse("has no params");
  const mode = own(params, "mode");
  if (typeof own(params, "message") !== "string") return refuse("has no message");
  if (mode === "url") {
    const url = own(params, "url");
    if (typeof url !== "string" || !isWebAddress(url)) return refuse("has no valid url");
    return accept({ method: ELICIT, params });
  }
  if (mode !== undefined && mode !== "form") return refuse("has an unknown mode");
  const checked = checkFormSchema(own(params, "requestedSchema"), { unsayable: "drop" });
  if (checked.ok) {
    return accept({ method: ELICIT, params: { ...params, requestedSchema: checked.schema } });
  }
  const place = checked.field === undefined ? "" : `, field ${quoted(checked.field)}`;
  return refuse(`has no form that can be shown${place}: ${checked.why}`);
}

/** A host opens it: `javascript:` would run in the host's own page, `file:` in nobody's. */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function accept(request: object): ReadInputRequest {
  return { ok: true, request: request as InputRequest };
}

function refuse(why: string): ReadInputRequest {
  return { ok: false, why };
}
