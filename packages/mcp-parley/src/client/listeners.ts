import { LOG_MESSAGE, PROGRESS } from "../protocol/methods.js";
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
