import { isObject, own } from "../protocol/json.js";
import { META_SERVER_INFO } from "../protocol/meta.js";
import {
  PROMPTS_GET,
  PROMPTS_LIST,
  RESOURCES_LIST,
  RESOURCE_TEMPLATES_LIST,
  TOOLS_CALL,
  TOOLS_LIST,
} from "../protocol/methods.js";

/** What has icons in each result, beside the server itself. */
const BEARERS = new Map([
  [TOOLS_LIST, "tools"],
  [PROMPTS_LIST, "prompts"],
  [RESOURCES_LIST, "resources"],
  [RESOURCE_TEMPLATES_LIST, "resourceTemplates"],
  [TOOLS_CALL, "content"],
  [PROMPTS_GET, "messages"],
]) as ReadonlyMap<string, string>;

/** Schemes a host may fetch an icon by. */
const SAFE = /^(?:https|data):/i;

/**
 * Takes the icons out of a result, in place, that a host must not fetch: all but `https:` and
 * `data:`. What else there is to heed when drawing one is the host's to do.
 * Specification: basic/index, `icons`.
 */
export function dropUnsafeIcons(method: string, result: Record<string, unknown>): void {
  const meta = own(result, "_meta");
  if (isObject(meta)) clean(own(meta, META_SERVER_INFO));
  const member = BEARERS.get(method);
  const bearers = member === undefined ? undefined : own(result, member);
  if (!Array.isArray(bearers)) return;
  for (const bearer of bearers as unknown[]) {
    clean(method === PROMPTS_GET && isObject(bearer) ? own(bearer, "content") : bearer);
  }
}

function clean(bearer: unknown): void {
  if (!isObject(bearer)) return;
  const icons = own(bearer, "icons");
  if (icons === undefined) return;
  const safe = Array.isArray(icons) ? icons.filter(isSafe) : [];
  if (safe.length > 0) bearer["icons"] = safe;
  else delete bearer["icons"];
}

function isSafe(icon: unknown): boolean {
  if (!isObject(icon)) return false;
  const src = own(icon, "src");
  return typeof src === "string" && SAFE.test(src) && URL.canParse(src);
}
