import { readBounded } from "../protocol/read-bounded.js";
import { type HttpAnswer, refuse } from "./http-answer.js";
import { tooLarge } from "./http-head.js";
import type { HttpPolicy } from "./http-policy.js";

/** The bytes of a body, or the answer that refuses it. */
export type RequestBody =
  { readonly bytes: Uint8Array; readonly answer?: undefined } | { readonly answer: HttpAnswer };

/**
 * Reads a body up to the policy's limit. Where the length is declared, the server below holds the
 * client to it, and the bytes are taken at once; otherwise they are counted as they come.
 */
export async function readRequestBody(policy: HttpPolicy, request: Request): Promise<RequestBody> {
  if (request.bodyUsed) {
    policy.log.error("The body of a request was read before this handler got it");
    return { answer: refuse(500, "The body was read before it got here") };
  }
  try {
    const bytes = isDeclared(request.headers)
      ? new Uint8Array(await request.arrayBuffer())
      : await readBounded(request.body, policy.maxBodyBytes);
    if (bytes === undefined || bytes.length > policy.maxBodyBytes)
      return { answer: tooLarge(policy) };
    return { bytes };
  } catch {
    return { answer: refuse(400, "The body ended before it was complete") };
  }
}

function isDeclared(headers: Headers): boolean {
  return headers.has("content-length") && !headers.has("transfer-encoding");
}
