// The client, for browsers and every runtime with `fetch`. On Node the export conditions pick
// client-node.ts, which adds pooled connections; nothing here may import from "node:".
import type { Authorization } from "../client/authorization.js";
import type { Client } from "../client/client.js";
import { limitsFrom } from "../client/limits.js";
import { type ClientOptions, openClient } from "../client/open.js";
import { ParleyError } from "../protocol/errors.js";
import { type HostHeaders, withAccess } from "../transport/client/headers.js";
import { endpoint } from "../transport/client/http.js";
import type { Dispatcher } from "../transport/client/dispatcher.js";
import { fetchLink } from "../transport/client/http-fetch.js";

/** How to connect over HTTP. */
export interface ConnectOptions extends ClientOptions {
  /**
   * Headers for every request, such as `authorization`: fixed, or from a function that is asked
   * before each request. They go to the endpoint alone: redirects are not followed.
   */
  readonly headers?: HostHeaders | undefined;
  /**
   * How to get authorized at a server that wants it, such as `oauth` of `mcp-parley/client/auth`.
   * Its `authorization` header takes the place of one in `headers`. Default: none; a server that
   * refuses a request is then `unauthorized`.
   */
  readonly authorization?: Authorization | undefined;
  /**
   * Connections to use instead of the client's own, on Node: a `ProxyAgent` of `undici` 7 or later,
   * say, or its `Agent`. It stays the host's to close. Default: connections of `node:http`, kept
   * alive and shared by all clients of an origin. `usage` where the platform's own `fetch` is used.
   */
  readonly dispatcher?: Dispatcher | undefined;
}

/**
 * Connects to the server at an MCP endpoint and asks it what it is. Rejects with `usage` for what is
 * no URL, `transport_failed` where no server answers, `unauthorized` where it wants credentials,
 * `authorization_failed` where `authorization` did not get them, `legacy_server` or
 * `version_unsupported` where it does not speak revision 2026-07-28, and `aborted`.
 */
export async function connect(url: string | URL, options: ConnectOptions = {}): Promise<Client> {
  if (options.dispatcher !== undefined) {
    throw new ParleyError("usage", "`dispatcher` is for Node: here `fetch` has the connections.");
  }
  const { responseSize } = limitsFrom(options.limits);
  const access = options.authorization?.accessTo(endpoint(url).href);
  const headers = withAccess(options.headers, access);
  const link = fetchLink({ url, headers, responseSize, prover: access?.prover });
  return openClient(link, options, undefined, access);
}

export type { About, AnswerFunctions, Asker } from "../client/answers.js";
export type { Access, Authorization, Prover, Refused } from "../client/authorization.js";
export { answered } from "../client/answered.js";
export type { Client } from "../client/client.js";
export type {
  CompleteCall,
  ParamsOf,
  PromptCall,
  ResourceCall,
  ResultOf,
  ToolCall,
} from "../client/calls.js";
export type { MakeSchema } from "../client/checked-outputs.js";
export type { ServerFacts } from "../client/discover.js";
export { AnswerInvalidError, UnfinishedError } from "../client/errors.js";
export type { ClientLimits } from "../client/limits.js";
export type { ClientOptions } from "../client/open.js";
export type { Pages } from "../client/pages.js";
export type { PendingCall } from "../client/pending.js";
export { ResponseCache } from "../client/response-cache.js";
export type { ResponseCacheLimits } from "../client/response-cache.js";
export type { RequestOptions } from "../client/sending.js";
export type { SubscribeOptions } from "../client/subscribe.js";
export type {
  ServerChange,
  SubscriptionEvent,
  SubscriptionFilter,
} from "../client/subscription-events.js";
export type { RefusedReason, RoundEvent, Turn, TurnOptions } from "../client/turns.js";
export type {
  DispatchController,
  DispatchHandler,
  DispatchOptions,
  Dispatcher,
} from "../transport/client/dispatcher.js";
export type { ClientCapabilities, ServerCapabilities } from "../protocol/capabilities.js";
export * from "../protocol/content.js";
export * from "../protocol/elicitation.js";
export { ParleyError, RpcError, isParleyError } from "../protocol/errors.js";
export { fillDefaults, validateContent } from "../protocol/form.js";
export type { CheckedContent } from "../protocol/form.js";
export type { ParleyErrorCode } from "../protocol/errors.js";
export type * from "../protocol/features.js";
export type {
  InputRequest,
  InputRequests,
  InputResponse,
  InputResponses,
} from "../protocol/input.js";
export type * from "../protocol/sampling.js";
export type * from "../protocol/roots.js";
export type {
  LoggingLevel,
  LoggingMessageNotificationParams,
  ProgressNotificationParams,
} from "../protocol/notifications.js";
