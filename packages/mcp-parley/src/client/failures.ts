import { ParleyError, type RpcError } from "../protocol/errors.js";
import { PROTOCOL_VERSION } from "../protocol/methods.js";
import type { Answered } from "./sending.js";

/** The error for an answer that is neither a result nor a round. */
export function failureOf(
  answer: Extract<Answered, { kind: "error" | "status" }>,
  method: string,
): ParleyError {
  if (answer.kind === "error") return answer.error;
  if (answer.status === 401) {
    return new ParleyError(
      "unauthorized",
      `The server wants to know who is calling (status 401 to ${method}): connect with an authorization, or with credentials in headers.authorization.`,
    );
  }
  if (answer.challenge !== undefined) {
    return new ParleyError(
      "unauthorized",
      `The server does not let this caller send ${method} (status 403): other or wider authorization is needed.`,
    );
  }
  return new ParleyError(
    "transport_failed",
    `The server answered ${method} with status ${answer.status}.`,
  );
}

/** For a server that speaks other revisions than this client. */
export function unsupported(versions: readonly unknown[], cause?: RpcError): ParleyError {
  const spoken = versions.filter((version) => /^[\w.-]{1,40}$/.test(String(version))).slice(0, 20);
  return new ParleyError(
    "version_unsupported",
    `The server speaks ${spoken.join(", ") || "no revision it names"}; this client speaks ${PROTOCOL_VERSION} only. ` +
      "Update the older of the two.",
    { cause },
  );
}

/** For a request whose answer took too long: it was cancelled. */
export function late(method: string, ms: number): ParleyError {
  return new ParleyError(
    "timeout",
    `No answer to ${method} within ${Math.ceil(ms)} ms. Whether the server did what was asked is not known.`,
  );
}
