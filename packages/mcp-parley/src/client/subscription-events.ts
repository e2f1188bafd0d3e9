import { isObject, own } from "../protocol/json.js";
import {
  PROMPTS_CHANGED,
  RESOURCES_CHANGED,
  RESOURCE_UPDATED,
  TOOLS_CHANGED,
} from "../protocol/methods.js";

/** What a subscription is to tell of. Specification: basic/patterns/subscriptions, Notification Filter. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean | undefined;
  readonly promptsListChanged?: boolean | undefined;
  /** Whether resources or their templates have come or gone. */
  readonly resourcesListChanged?: boolean | undefined;
  /** The URIs of resources whose contents are watched. */
  readonly resourceSubscriptions?: readonly string[] | undefined;
}

/** A change the server has told of: one of its lists is another now, or what a resource holds. */
export type ServerChange =
  | { readonly kind: "tools" | "prompts" | "resources" }
  /** `uri` is that of a watched resource, or of a part of one. */
  | { readonly kind: "resource"; readonly uri: string };

/** What a subscription gives, in the order in which it happened. */
export type SubscriptionEvent =
  | ServerChange
  | {
      /** The server has taken the subscription, for the first time or again after a cut. */
      readonly kind: "open";
      /** What the notifications of this stream carry as `io.modelcontextprotocol/subscriptionId`. */
      readonly subscriptionId: number;
      /** What the server will tell of, which may be less than it was asked for. */
      readonly accepted: SubscriptionFilter;
    }
  /** Changes may have gone untold, after a cut or a flood: read anew what is kept of the server. */
  | { readonly kind: "missed" }
  /** The stream was cut, or could not be opened again; the next try is `after` ms away. */
  | { readonly kind: "cut"; readonly error: unknown; readonly after: number };

const LISTS = {
  toolsListChanged: { kind: "tools", method: TOOLS_CHANGED },
  promptsListChanged: { kind: "prompts", method: PROMPTS_CHANGED },
  resourcesListChanged: { kind: "resources", method: RESOURCES_CHANGED },
} as const;

const FLAGS = Object.keys(LISTS) as (keyof typeof LISTS)[];

/**
 * A filter as it is sent, or as the server acknowledged it: without what it does not ask for, and
 * never with more than `asked`. What is no filter asks for nothing.
 */
export function readFilter(value: unknown, asked?: SubscriptionFilter): SubscriptionFilter {
  const filter: { -readonly [Name in keyof SubscriptionFilter]: SubscriptionFilter[Name] } = {};
  if (!isObject(value)) return filter;
  for (const flag of FLAGS) {
    if (own(value, flag) === true && (asked === undefined || asked[flag] === true)) {
      filter[flag] = true;
    }
  }
  const uris: unknown = own(value, "resourceSubscriptions");
  if (!Array.isArray(uris)) return filter;
  const wanted = asked && new Set(asked.resourceSubscriptions);
  const watched = uris.filter((uri): uri is string => typeof uri === "string");
  const known = wanted === undefined ? watched : watched.filter((uri) => wanted.has(uri));
  if (known.length > 0) filter.resourceSubscriptions = [...new Set(known)];
  return filter;
}

/** The change a notification tells of; undefined where it tells of none that was asked for. */
export function changeIn(
  method: string,
  params: Readonly<Record<string, unknown>>,
  asked: SubscriptionFilter,
): ServerChange | undefined {
  if (method === RESOURCE_UPDATED) {
    const { uri } = params;
    // It may be that of a part of a watched resource, so it is not held against their URIs.
    const watches = asked.resourceSubscriptions !== undefined;
    return watches && typeof uri === "string" ? { kind: "resource", uri } : undefined;
  }
  const flag = FLAGS.find((name) => LISTS[name].method === method && asked[name] === true);
  return flag && { kind: LISTS[flag].kind };
}

/** Everything a filter asks for, as changes: what has to be taken for changed after a gap. */
export function allOf(filter: SubscriptionFilter): ServerChange[] {
  return [
    ...FLAGS.filter((flag) => filter[flag] === true).map((flag) => ({ kind: LISTS[flag].kind })),
    ...(filter.resourceSubscriptions ?? []).map((uri) => ({ kind: "resource" as const, uri })),
  ];
}
