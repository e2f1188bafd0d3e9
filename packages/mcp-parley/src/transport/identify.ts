import { INTERNAL_ERROR } from "../protocol/codes.js";
import { type Awaitable, isPromiseLike } from "../protocol/json.js";
import { errorText } from "../protocol/jsonrpc.js";
import { NO_PRINCIPAL, isPrincipal } from "../state/principal.js";
import type { Principal } from "../state/principal.js";
import { type HttpHead, type Refusal, isRefusal } from "../auth/authenticate.js";
import type { HttpAnswer } from "./http-answer.js";
import type { HttpPolicy } from "./http-policy.js";

/** Who is calling, or the answer that sends them away. */
export type Identity =
  | { readonly principal: Principal | undefined; readonly answer?: undefined }
  | { readonly answer: HttpAnswer };

const ANONYMOUS: Identity = { principal: undefined };

/**
 * Asks the policy's `authenticate` who sent this request. Never throws and never rejects: where that
 * can't be found out, nobody is let in.
 */
export function identify(policy: HttpPolicy, head: HttpHead): Awaitable<Identity> {
  const { authenticate } = policy;
  if (authenticate === undefined) return ANONYMOUS;
  const failed = (error: unknown): Identity => {
    policy.log.error("authenticate failed; the request was refused", error);
    return { answer: FAILED };
  };
  try {
    const answer = authenticate(head);
    if (isPromiseLike(answer)) return answer.then(identityOf).then(undefined, failed);
    return identityOf(answer);
  } catch (error) {
    return failed(error);
  }
}

function identityOf(answer: Principal | Refusal | undefined): Identity {
  if (answer === undefined) return ANONYMOUS;
  if (!isRefusal(answer)) {
    if (!isPrincipal(answer)) throw new TypeError(NO_PRINCIPAL);
    return { principal: answer };
  }
  const { status, headers = {} } = answer;
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new RangeError(`A refusal's status must be from 400 to 599, not ${String(status)}`);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (TOKEN.test(name) && VISIBLE.test(value)) continue;
    throw new TypeError(`The header ${JSON.stringify(name)} of a refusal can't be sent as it is`);
  }
  return { answer: { status, headers, text: undefined } };
}

const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]+$/i;
const VISIBLE = /^[\t\x20-\x7e]*$/;

const FAILED: HttpAnswer = {
  status: 500,
  text: errorText(undefined, INTERNAL_ERROR, "Internal error"),
};
