import type { MetaObject, ProgressToken, RequestId } from "./jsonrpc.js";

/**
 * How grave a log message is, as in RFC 5424.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

/** The log levels, from the least grave to the gravest. */
export const LOGGING_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** Parameters of `notifications/progress`. `progress` rises with each one. */
export interface ProgressNotificationParams {
  progressToken: ProgressToken;
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
  _meta?: MetaObject | undefined;
}

/**
 * Parameters of `notifications/message`.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export interface LoggingMessageNotificationParams {
  level: LoggingLevel;
  logger?: string | undefined;
  data: unknown;
  _meta?: MetaObject | undefined;
}

/** Parameters of `notifications/cancelled`, which travels on stdio alone. */
export interface CancelledNotificationParams {
  requestId: RequestId;
  reason?: string | undefined;
  _meta?: MetaObject | undefined;
}
