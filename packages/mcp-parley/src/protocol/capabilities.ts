import type { JSONObject } from "./json.js";
import { isObject, own } from "./json.js";

// Optional members may be given as undefined: JSON leaves them out.

/** What a client can do, said anew on each request. Specification: basic/versioning. */
export interface ClientCapabilities {
  experimental?: { [name: string]: JSONObject } | undefined;
  /** Can list roots. Deprecated by revision 2026-07-28 (SEP-2577). */
  roots?: Record<string, unknown> | undefined;
  /** Can ask a model. Deprecated by revision 2026-07-28 (SEP-2577). */
  sampling?: { context?: JSONObject | undefined; tools?: JSONObject | undefined } | undefined;
  /** Can ask the user; empty means by form only. */
  elicitation?: { form?: JSONObject | undefined; url?: JSONObject | undefined } | undefined;
  extensions?: { [identifier: string]: JSONObject } | undefined;
}

/** What a server can do. Specification: server/discover. */
export interface ServerCapabilities {
  experimental?: { [name: string]: JSONObject } | undefined;
  /** Sends log messages. Deprecated by revision 2026-07-28 (SEP-2577). */
  logging?: JSONObject | undefined;
  completions?: JSONObject | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  resources?: { subscribe?: boolean | undefined; listChanged?: boolean | undefined } | undefined;
  tools?: { listChanged?: boolean | undefined } | undefined;
  extensions?: { [identifier: string]: JSONObject } | undefined;
}

/** The capabilities as declared, or what is malformed about them, as a path and a few words. */
export type ReadCapabilities =
  { ok: true; capabilities: ClientCapabilities } | { ok: false; why: string };

/**
 * Checks that what a client declares is an object, and every known member in it, too. Unknown
 * members are left alone: the set is open. Never throws.
 */
export function readClientCapabilities(value: unknown): ReadCapabilities {
  if (!isObject(value)) return { ok: false, why: " is not an object" };
  for (const [name, members] of KNOWN) {
    const capability = own(value, name);
    if (capability === undefined) continue;
    if (!isObject(capability)) return { ok: false, why: `.${name} is not an object` };
    for (const member of members ?? Object.keys(capability)) {
      const setting = own(capability, member);
      if (setting !== undefined && !isObject(setting)) {
        return { ok: false, why: `.${name}.${member} is not an object` };
      }
    }
  }
  return { ok: true, capabilities: value };
}

/** Known capabilities and their members; undefined where every member has to be an object. */
const KNOWN: readonly (readonly [string, readonly string[] | undefined])[] = [
  ["elicitation", ["form", "url"]],
  ["sampling", ["tools", "context"]],
  ["roots", []],
  ["extensions", undefined],
  ["experimental", undefined],
];

/**
 * The part of `required` that was not declared, as `data.requiredCapabilities` of a `-32021` names
 * it; undefined when nothing is missing. An `elicitation` that names no mode means form.
 */
export function missingCapabilities(
  required: ClientCapabilities,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  const missing: Record<string, unknown> = {};
  for (const [name, needed] of Object.entries(required)) {
    const lacking = missingMembers(name, needed, own(declared, name));
    if (lacking !== undefined) missing[name] = lacking;
  }
  return Object.keys(missing).length === 0 ? undefined : missing;
}

function missingMembers(name: string, needed: unknown, declared: unknown): unknown {
  if (!isObject(needed)) return undefined;
  if (!isObject(declared)) return needed;
  const bareElicitation =
    name === "elicitation" && !Object.hasOwn(declared, "form") && !Object.hasOwn(declared, "url");
  const lacking = Object.entries(needed).filter(
    ([member, setting]) =>
      setting !== undefined &&
      !isObject(own(declared, member)) &&
      !(bareElicitation && member === "form"),
  );
  return lacking.length === 0 ? undefined : Object.fromEntries(lacking);
}
