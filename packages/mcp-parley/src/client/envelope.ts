import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/features.js";
import { isObject } from "../protocol/json.js";
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROGRESS_TOKEN,
  META_PROTOCOL_VERSION,
} from "../protocol/meta.js";
import { LOG_MESSAGE, PROGRESS, PROTOCOL_VERSION } from "../protocol/methods.js";
import type {
  LoggingLevel,
  LoggingMessageNotificationParams,
  ProgressNotificationParams,
} from "../protocol/notifications.js";

/** What a host wants to hear while a request is under way. What one of these throws ends the request. */
export interface Listeners {
  /** Asks the server for progress, and takes it. */
  readonly onProgress?: ((progress: ProgressNotificationParams) => void) | undefined;
  /**
   * Whether progress that rises gives the request its whole timeout again, up to `maxTotalTimeout`.
   * Asks the server for progress, like `onProgress`. Default false.
   */
  readonly resetTimeoutOnProgress?: boolean | undefined;
  /**
   * The least grave log message the server should send; without it, it sends none.
   *
   * @deprecated Since revision 2026-07-28 (SEP-2577).
   */
  readonly logLevel?: LoggingLevel | undefined;
  /**
   * Takes the log messages. Over stdio nothing says which request a message belongs to: every
   * request under way that asked for log messages gets it.
   *
   * @deprecated Since revision 2026-07-28 (SEP-2577).
   */
  readonly onLog?: ((message: LoggingMessageNotificationParams) => void) | undefined;
}

/**
 * The params of one request: the caller's, with the `_meta` every request carries. The caller's own
 * members of `_meta` stay; the protocol's are this client's to say. The request's id, unique while
 * it is under way, is its progress token.
 * Specification: basic/index, `_meta`.
 */
export function stamp(
  params: Readonly<Record<string, unknown>>,
  id: number,
  info: Implementation,
  capabilities: ClientCapabilities,
  listeners: Listeners,
): Record<string, unknown> {
  const { _meta: own } = params;
  const meta: Record<string, unknown> = isObject(own) ? { ...own } : {};
  meta[META_PROTOCOL_VERSION] = PROTOCOL_VERSION;
  meta[META_CLIENT_INFO] = info;
  meta[META_CLIENT_CAPABILITIES] = capabilities;
  if (listeners.onProgress !== undefined || listeners.resetTimeoutOnProgress === true)
    meta[META_PROGRESS_TOKEN] = id;
  if (listeners.logLevel !== undefined) meta[META_LOG_LEVEL] = listeners.logLevel;
  return { ...params, _meta: meta };
}

/**
 * Sorts notifications to the listeners of the request with that id; undefined where there are none.
 * `onAdvance` is told of progress that rises, as it has to (basic/patterns/progress).
 */
export function listenTo(
  id: number,
  { onProgress, logLevel, onLog }: Listeners,
  onAdvance: (() => void) | undefined,
): ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined {
  if (onProgress === undefined && onLog === undefined && onAdvance === undefined) return undefined;
  let reached = -Infinity;
  return (method, params) => {
    if (method === PROGRESS && params["progressToken"] === id) {
      const { progress } = params;
      if (typeof progress !== "number") return;
      if (progress > reached) onAdvance?.();
      reached = Math.max(reached, progress);
      onProgress?.(params as unknown as ProgressNotificationParams);
    } else if (method === LOG_MESSAGE && logLevel !== undefined) {
      onLog?.(params as unknown as LoggingMessageNotificationParams);
    }
  };
}
