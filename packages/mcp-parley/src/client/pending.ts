import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { InputRequest, InputRequests, InputResponses } from "../protocol/input.js";
import type { JSONObject } from "../protocol/json.js";
import type { AskingMethod } from "../protocol/methods.js";

/**
 * A flow at rest in the client: all it takes to go on with it, in plain JSON. It may be stored and
 * resumed by another process, as long as the server's state lives. It holds what was asked, what was
 * answered and the server's state: keep it as you would keep those.
 */
export interface PendingCall<Method extends AskingMethod = AskingMethod> {
  /** The version of this format. */
  readonly version: 1;
  /** The server it belongs to: no other gets it. */
  readonly server: { readonly address: string; readonly name?: string };
  readonly method: Method;
  /** The params of the call as it was first made. */
  readonly params: JSONObject;
  /** What the client told the server it can do, in this flow. */
  readonly capabilities: ClientCapabilities;
  /** How many rounds the flow has had. */
  readonly round: number;
  /** How many of the last rounds brought no questions. */
  readonly idle: number;
  /** The id of its last request, which the next one must not have. */
  readonly requestId: number;
  /** What the server asks, by key; empty where it only wants to be asked again. */
  readonly inputRequests: InputRequests;
  /** What has been answered of it so far, by key. */
  readonly answers: InputResponses;
  /** The server's state, opaque; absent where there is none. */
  readonly requestState?: string;
  /** When the server's state ends, in ms since 1970, where the server gives that hint. */
  readonly expiresAt?: number;
}

/** One question of a pending call. */
export interface OpenQuestion {
  readonly key: string;
  readonly request: InputRequest;
}

/** What a pending call still has to have answered, in the server's order. */
export function openQuestions({ inputRequests, answers }: PendingCall): readonly OpenQuestion[] {
  return Object.entries(inputRequests)
    .filter(([key]) => !Object.hasOwn(answers, key))
    .map(([key, request]) => ({ key, request }));
}

/** The question under `key`, answered or not; undefined where there is none. */
export function questionOf({ inputRequests }: PendingCall, key: string): InputRequest | undefined {
  return Object.hasOwn(inputRequests, key) ? inputRequests[key] : undefined;
}

/** The pending call with more answers. A server's keys may be any words, `__proto__` among them. */
export function withAnswers<Method extends AskingMethod>(
  pending: PendingCall<Method>,
  more: InputResponses,
): PendingCall<Method> {
  const answers = Object.fromEntries([...Object.entries(pending.answers), ...Object.entries(more)]);
  return { ...pending, answers };
}
