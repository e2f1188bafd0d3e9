import { isObject, isTexts } from "../protocol/json.js";
import type { Change } from "./bus.js";

/** What one subscription is told of. Specification: basic/patterns/subscriptions, Notification Filter. */
export interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** How many resources one subscription may watch. */
const MOST_RESOURCES = 1_000;

const LISTS = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;

/** Reads a filter; says what is wrong with it, in words, when it is none. */
export function readFilter(value: unknown): Filter | string {
  if (!isObject(value)) return "params.notifications is an object";
  const filter: { -readonly [K in keyof Filter]: Filter[K] } = {};
  for (const member of Object.values(LISTS)) {
    const wanted = Object.hasOwn(value, member) ? value[member] : undefined;
    if (wanted !== undefined && typeof wanted !== "boolean") return `${member} is true or false`;
    if (wanted === true) filter[member] = true;
  }
  const uris = Object.hasOwn(value, "resourceSubscriptions") ? value["resourceSubscriptions"] : [];
  if (!isTexts(uris)) {
    return "resourceSubscriptions is an array of URIs";
  }
  if (uris.length > MOST_RESOURCES) {
    return `resourceSubscriptions holds at most ${String(MOST_RESOURCES)} URIs`;
  }
  if (uris.length > 0) filter.resourceSubscriptions = [...new Set(uris)];
  return filter;
}

/** What a subscription with this filter has to be told of a change. */
export function wanted(filter: Filter, change: Change): readonly Told[] {
  switch (change.kind) {
    case "missed":
      return everything(filter);
    case "resource":
      return filter.resourceSubscriptions?.includes(change.uri) === true ? [change] : NOTHING;
    default:
      return filter[LISTS[change.kind]] === true ? [change] : NOTHING;
  }
}

/** A change that can be named. */
export type Told = Exclude<Change, { kind: "missed" }>;

const NOTHING: readonly Told[] = [];

function everything(filter: Filter): Told[] {
  const lists = (["tools", "prompts", "resources"] as const).filter((kind) => filter[LISTS[kind]]);
  const uris = filter.resourceSubscriptions ?? [];
  return [
    ...lists.map((kind): Told => ({ kind })),
    ...uris.map((uri): Told => ({ kind: "resource", uri })),
  ];
}
