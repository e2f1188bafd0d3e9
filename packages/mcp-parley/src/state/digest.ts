import { hash } from "node:crypto";
import { isObject } from "../protocol/json.js";
import { canonicalJson, MAX_DEPTH } from "./canonical.js";

/** SHA-256 of a text's UTF-8 bytes, base64url. */
export function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}

/** SHA-256 over the canonical JSON of a value, base64url; undefined where it has no such form. */
export function digestJson(value: unknown): string | undefined {
  const text = canonicalJson(value);
  return text === undefined ? undefined : sha256(text);
}

/** What differs between the rounds of one flow, and so is no part of what the request is. */
const PER_ROUND: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState"]);

/**
 * What a request is, as a digest: SHA-256 over the RFC 8785 form of `[method, params]`, where
 * `params` is without `_meta`, `inputResponses` and `requestState`. Where a tool names its
 * `salient` arguments, the others do not count. Insensitive to the order of members and the
 * spelling of numbers, sensitive to everything else. Undefined for parameters without a
 * canonical form: see {@link canonicalJson}.
 * Specification: basic/patterns/mrtr, server requirement 5.
 */
export function requestDigest(
  method: string,
  params: unknown,
  salient?: readonly string[],
): string | undefined {
  const kept = isObject(params) ? lasting(params, salient) : params;
  const text = canonicalJson([method, kept ?? {}], MAX_DEPTH + 1);
  return text === undefined ? undefined : sha256(text);
}

function lasting(
  params: Record<string, unknown>,
  salient: readonly string[] | undefined,
): Record<string, unknown> {
  // No prototype, so that a member named `__proto__` is one like any other.
  const kept = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(params)) {
    if (!PER_ROUND.has(name)) kept[name] = params[name];
  }
  const given = kept["arguments"];
  if (salient !== undefined && isObject(given)) {
    const chosen = Object.create(null) as Record<string, unknown>;
    for (const name of salient) {
      if (Object.hasOwn(given, name)) chosen[name] = given[name];
    }
    kept["arguments"] = chosen;
  }
  return kept;
}
