/** The revision this package speaks. */
export const PROTOCOL_VERSION = "2026-07-28";

// requests of a client
export const DISCOVER = "server/discover";
export const TOOLS_LIST = "tools/list";
export const TOOLS_CALL = "tools/call";
export const PROMPTS_LIST = "prompts/list";
export const PROMPTS_GET = "prompts/get";
export const RESOURCES_LIST = "resources/list";
export const RESOURCE_TEMPLATES_LIST = "resources/templates/list";
export const RESOURCES_READ = "resources/read";
export const COMPLETE = "completion/complete";
export const SUBSCRIPTIONS_LISTEN = "subscriptions/listen";

// requests of a server, which travel inside a result
export const ELICIT = "elicitation/create";
export const CREATE_MESSAGE = "sampling/createMessage";
export const LIST_ROOTS = "roots/list";

// notifications
export const CANCELLED = "notifications/cancelled";
export const PROGRESS = "notifications/progress";
export const LOG_MESSAGE = "notifications/message";
export const TOOLS_CHANGED = "notifications/tools/list_changed";
export const PROMPTS_CHANGED = "notifications/prompts/list_changed";
export const RESOURCES_CHANGED = "notifications/resources/list_changed";
export const RESOURCE_UPDATED = "notifications/resources/updated";
export const SUBSCRIPTION_ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** A request a server may answer with `input_required`. Specification: basic/patterns/mrtr, Supported Requests. */
export type AskingMethod = typeof TOOLS_CALL | typeof PROMPTS_GET | typeof RESOURCES_READ;

/** The requests a server may answer with `input_required`; it must not on any other. */
export const ASKING_METHODS: ReadonlySet<string> = new Set<AskingMethod>([
  TOOLS_CALL,
  PROMPTS_GET,
  RESOURCES_READ,
]);

/** True for a request a server may answer with `input_required`. */
export function isAskingMethod(method: string): method is AskingMethod {
  return ASKING_METHODS.has(method);
}

const READS: ReadonlySet<string> = new Set([
  DISCOVER,
  TOOLS_LIST,
  PROMPTS_LIST,
  RESOURCES_LIST,
  RESOURCE_TEMPLATES_LIST,
  COMPLETE,
]);

/** True for a request that only reads, and is never answered with questions: it may be sent twice. */
export function isRead(method: string): boolean {
  return READS.has(method);
}

/** The requests whose results carry `ttlMs` and `cacheScope`. Specification: server/utilities/caching. */
export const CACHEABLE_METHODS: ReadonlySet<string> = new Set([
  DISCOVER,
  TOOLS_LIST,
  PROMPTS_LIST,
  RESOURCES_LIST,
  RESOURCE_TEMPLATES_LIST,
  RESOURCES_READ,
]);

/**
 * What the `Mcp-Name` header mirrors: the tool's or prompt's name or the resource's URI; undefined
 * on every other method, and where the parameter is missing or no string.
 * Specification: basic/transports/streamable-http, Standard Request Headers.
 */
export function nameOf(method: string, params: unknown): string | undefined {
  const member = NAMED_BY.get(method);
  if (member === undefined || typeof params !== "object" || params === null) return undefined;
  const name: unknown = Object.hasOwn(params, member)
    ? (params as Record<string, unknown>)[member]
    : undefined;
  return typeof name === "string" ? name : undefined;
}

const NAMED_BY: ReadonlyMap<string, string> = new Map([
  [TOOLS_CALL, "name"],
  [PROMPTS_GET, "name"],
  [RESOURCES_READ, "uri"],
]);
