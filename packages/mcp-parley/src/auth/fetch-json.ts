import { isObject } from "../protocol/json.js";

/** How documents of an authorization server are fetched: the web's `fetch`. */
export type Fetch = (
  url: string,
  init: { signal: AbortSignal; headers: Record<string, string>; redirect: "manual" },
) => Promise<Response>;

/** Far more than any metadata or key set takes, in bytes. */
const MAX_BYTES = 512 * 1024;

/**
 * Fetches a JSON object. Rejects where it is none, is too large, comes with another status than
 * 200, or `signal` aborts first. Redirects are not followed.
 */
export async function fetchJson(
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const headers = { accept: "application/json" };
  const response = await fetch(url, { signal, headers, redirect: "manual" });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${String(response.status)}`);
  }
  const value: unknown = JSON.parse(await boundedText(response, url));
  if (!isObject(value)) throw new Error(`${url} gave no JSON object`);
  return value;
}

async function boundedText({ body }: Response, url: string): Promise<string> {
  let [text, bytes] = ["", 0];
  if (body === null) return text;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const chunk = read.value as Uint8Array;
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) {
      await reader.cancel();
      throw new Error(`${url} gave more than ${String(MAX_BYTES)} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
