import { isObject } from "../protocol/json.js";
import { readBounded } from "../protocol/read-bounded.js";

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
  const bytes = await readBounded(response.body, MAX_BYTES);
  if (bytes === undefined) throw new Error(`${url} gave more than ${String(MAX_BYTES)} bytes`);
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isObject(value)) throw new Error(`${url} gave no JSON object`);
  return value;
}
