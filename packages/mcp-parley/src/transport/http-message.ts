import { type RequestId, readMessage } from "../protocol/jsonrpc.js";
import { type Parsed, parseBytes, parseJson } from "../protocol/parse.js";
import type { HeaderReader } from "../auth/authenticate.js";
import { type HttpAnswer, refuseMessage } from "./http-answer.js";
import { tooLarge } from "./http-head.js";
import type { HttpPolicy } from "./http-policy.js";
import { checkMirrored } from "./mirrored-headers.js";

/** A message for the server, or the answer that refuses it. */
export type Received =
  | { readonly message: unknown; readonly id: RequestId | undefined; readonly answer?: undefined }
  | { readonly answer: HttpAnswer };

/** Parses a body once and holds it against the headers that mirror it. */
export function receive(bytes: Uint8Array, headers: HeaderReader): Received {
  return judge(parseBytes(bytes), headers);
}

/** The same for a body that a framework has read, and perhaps parsed, already. */
export function receiveGiven(body: unknown, headers: HeaderReader, policy: HttpPolicy): Received {
  const text = body instanceof Uint8Array || typeof body === "string" ? body : written(body);
  if (text.length > policy.maxBodyBytes) return { answer: tooLarge(policy) };
  return judge(typeof text === "string" ? parseJson(text) : parseBytes(text), headers);
}

/** A parsed body as text again; what can't be written, being nested too deep, is no JSON either. */
function written(body: unknown): string {
  try {
    return JSON.stringify(body ?? "");
  } catch {
    return "";
  }
}

function judge(parsed: Parsed, headers: HeaderReader): Received {
  if (!parsed.ok) return { answer: refuseMessage(parsed.id, parsed.code, parsed.why) };
  const message = readMessage(parsed.value);
  // What is neither a request nor a notification is the server's to refuse, as on every transport.
  if (message.kind === "request" || message.kind === "notification") {
    const answer = checkMirrored(message, headers);
    if (answer !== undefined) return { answer };
  }
  return { message: parsed.value, id: message.kind === "request" ? message.id : undefined };
}
