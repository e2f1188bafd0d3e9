import { ParleyError } from "../protocol/errors.js";
import { decodeHeaderValue } from "../protocol/headers.js";
import type { HeaderReader } from "./authenticate.js";

/** Who may call without a token: everyone, nobody, or who calls one of these. */
export type Anonymous = boolean | ReadonlySet<string>;

/** Reads the setting. Throws `usage` for an entry that can't be a method, with or without a name. */
export function readAnonymous(given: boolean | readonly string[]): Anonymous {
  if (typeof given === "boolean") return given;
  for (const entry of given) {
    if (/^[a-z/]+(?: .+)?$/i.test(entry)) continue;
    const hint = "give a method, or a method and a name: tools/call search";
    throw new ParleyError("usage", `anonymous: ${JSON.stringify(entry)}: ${hint}`);
  }
  return new Set(given);
}

/**
 * Whether this request may go on without a token. Its headers are all that is known yet, and they
 * are enough: the transport refuses a body that does not say what `Mcp-Method` and `Mcp-Name` say.
 * Specification: basic/transports/streamable-http, Server Validation.
 */
export function mayBeAnonymous(anonymous: Anonymous, headers: HeaderReader): boolean {
  if (typeof anonymous === "boolean") return anonymous;
  const method = headers.get("mcp-method");
  if (method === null) return false;
  if (anonymous.has(method)) return true;
  const name = decodeHeaderValue(headers.get("mcp-name") ?? "");
  return name !== undefined && anonymous.has(`${method} ${name}`);
}
