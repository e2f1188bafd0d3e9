import type { ElicitResult } from "./elicitation.js";
import { readInputRequest } from "./input-request.js";
import type { InputRequest } from "./input-request.js";
import { inputResponseFault, methodAnsweredBy } from "./input-response.js";
import { isObject } from "./json.js";
import type { MetaObject } from "./jsonrpc.js";
import type { ListRootsResult } from "./roots.js";
import type { CreateMessageResult } from "./sampling.js";

export type { InputRequest };

/** What a client has found out for it. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** What a server needs, each under a key of its own. */
export interface InputRequests {
  [key: string]: InputRequest;
}

/** What a client has found out, under the same keys. */
export interface InputResponses {
  [key: string]: InputResponse;
}

/** The result of a request that needs more input. At least one of the two members is there. */
export type InputRequiredResult = {
  resultType: "input_required";
  inputRequests?: InputRequests | undefined;
  /** Opaque to the client, which sends it back as it is. */
  requestState?: string | undefined;
  _meta?: MetaObject | undefined;
};

/** How many entries a map may have by default. */
export const MAX_INPUTS = 64;

export interface InputLimits {
  /** How many entries a map may have; default 64. */
  readonly maxEntries?: number | undefined;
}

/** A whole map, or what is wrong with it: at `key`, or with the map itself. */
export type ReadInputRequests =
  | { ok: true; requests: Map<string, InputRequest> }
  | { ok: false; key: string | undefined; why: string };

/** A whole map, or what is wrong with it: at `key`, or with the map itself. */
export type ReadInputResponses =
  | { ok: true; responses: Map<string, InputResponse> }
  | { ok: false; key: string | undefined; why: string };

/**
 * Reads the `inputRequests` of a result. Any key is ordinary, `__proto__` and the empty one too. A
 * form's schema is given back in the protocol's own words, without what a form cannot say.
 * Never throws.
 */
export function readInputRequests(value: unknown, limits?: InputLimits): ReadInputRequests {
  const entries = entriesOf(value, limits);
  if (typeof entries === "string") return { ok: false, key: undefined, why: entries };
  const requests = new Map<string, InputRequest>();
  for (const [key, entry] of entries) {
    const read = readInputRequest(entry);
    if (!read.ok) return { ok: false, key, why: read.why };
    requests.set(key, read.request);
  }
  return { ok: true, requests };
}

/**
 * Reads the `inputResponses` of a request. Every entry has to be a well-formed result of one of
 * the three requests, whatever it answers; any key is ordinary. Never throws.
 * Specification: basic/patterns/mrtr, Error Handling.
 */
export function readInputResponses(value: unknown, limits?: InputLimits): ReadInputResponses {
  const entries = entriesOf(value, limits);
  if (typeof entries === "string") return { ok: false, key: undefined, why: entries };
  for (const [key, entry] of entries) {
    const why = inputResponseFault(entry);
    if (why !== undefined) return { ok: false, key, why };
  }
  return { ok: true, responses: new Map(entries as [string, InputResponse][]) };
}

function entriesOf(value: unknown, limits: InputLimits | undefined): [string, unknown][] | string {
  if (!isObject(value)) return "is not an object";
  const entries = Object.entries(value);
  const { maxEntries = MAX_INPUTS } = limits ?? {};
  return entries.length > maxEntries ? `has more than ${maxEntries} entries` : entries;
}

/** Whether a well-formed response is of the kind that the request wants. */
export function answersTo(request: InputRequest, response: InputResponse): boolean {
  return methodAnsweredBy(response) === request.method;
}
