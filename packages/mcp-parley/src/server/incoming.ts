import type { Envelope } from "../protocol/meta.js";
import { LOGGING_LEVELS } from "../protocol/notifications.js";
import type { LoggingLevel } from "../protocol/notifications.js";
import { own } from "../protocol/json.js";
import { notificationText } from "../protocol/jsonrpc.js";
import type { RequestId } from "../protocol/jsonrpc.js";
import { LOG_MESSAGE, PROGRESS } from "../protocol/methods.js";
import type { RequestContext } from "./context.js";

/** A request whose envelope has been read, and the way back to its client. */
export class Incoming {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly envelope: Envelope;
  readonly context: RequestContext;
  #progress = -Infinity;

  constructor(
    id: RequestId,
    method: string,
    params: Readonly<Record<string, unknown>>,
    envelope: Envelope,
    context: RequestContext,
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.envelope = envelope;
    this.context = context;
  }

  /** A parameter of the request's own; never one of its prototype's. */
  param(name: string): unknown {
    return own(this.params, name);
  }

  /**
   * Sends progress to a client that gave a token, as long as it grows.
   * Specification: basic/patterns/progress.
   */
  progress(progress: number, total: number | undefined, message: string | undefined): void {
    const { progressToken } = this.envelope;
    if (progressToken === undefined || !(progress > this.#progress && progress < Infinity)) return;
    this.#progress = progress;
    this.#notify(PROGRESS, { progressToken, progress, total, message });
  }

  /**
   * Sends a log message to a client that asked for messages as grave as this one.
   * Specification: server/utilities/logging.
   */
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void {
    const wanted = this.envelope.logLevel;
    if (wanted === undefined) return;
    if (LOGGING_LEVELS.indexOf(level) < LOGGING_LEVELS.indexOf(wanted)) return;
    this.#notify(LOG_MESSAGE, { level, logger, data: data ?? null });
  }

  #notify(method: string, params: unknown): void {
    this.context.notify(notificationText(method, JSON.stringify(params)));
  }
}
