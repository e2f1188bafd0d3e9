import { ParleyError } from "../protocol/errors.js";
import { own } from "../protocol/json.js";
import {
  PROMPTS_GET,
  PROMPTS_LIST,
  RESOURCES_LIST,
  RESOURCES_READ,
  RESOURCE_TEMPLATES_LIST,
  TOOLS_CALL,
  TOOLS_LIST,
} from "../protocol/methods.js";

/** The list each result is there for. Hosts go through it, so that it has to be one. */
const LIST_IN = new Map([
  [TOOLS_CALL, "content"],
  [PROMPTS_GET, "messages"],
  [RESOURCES_READ, "contents"],
  [TOOLS_LIST, "tools"],
  [PROMPTS_LIST, "prompts"],
  [RESOURCES_LIST, "resources"],
  [RESOURCE_TEMPLATES_LIST, "resourceTemplates"],
]) as ReadonlyMap<string, string>;

/** Throws `result_invalid` where a complete result lacks what it is there for. */
export function requireList(method: string, result: Readonly<Record<string, unknown>>): void {
  const member = LIST_IN.get(method);
  if (member === undefined || Array.isArray(own(result, member))) return;
  throw new ParleyError(
    "result_invalid",
    `The server's result of ${method} has no list "${member}".`,
  );
}
