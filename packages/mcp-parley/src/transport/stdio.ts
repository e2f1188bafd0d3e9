import type { Readable, Writable } from "node:stream";
import type { Logger } from "../flow/options.js";
import type { Dispatcher } from "../server/context.js";
import type { Principal } from "../state/principal.js";
import { MAX_MESSAGE_BYTES, positive } from "./http-policy.js";
import { loggerOf } from "./logger.js";
import { StdioConversation } from "./stdio-conversation.js";
import { keepConsoleOffStdout } from "./stdout-guard.js";
import { type Timers, systemTimers } from "./timers.js";
import { ignoreUnhandledSuspensions } from "./unhandled.js";

/** Settings of {@link serveStdio}. */
export interface StdioOptions {
  /** Where messages come from. Default: `process.stdin`. */
  readonly input?: Readable;
  /**
   * Where messages go. Default: `process.stdout`; then `console.log` and its like print on stderr
   * for as long as the server runs, since stdout may carry nothing but messages.
   */
  readonly output?: Writable;
  /** Who is at the other end, where the process knows it. Default: anonymous. */
  readonly principal?: Principal;
  /** The largest message in bytes; a larger one is refused with -32600. Default: 4 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * How long requests under way may take to finish once the input has ended, in milliseconds; then
   * they are aborted. Default: 1,000.
   */
  readonly graceMs?: number;
  /** Where faults of this server's own are reported. Default: `console`; false is silent. */
  readonly log?: Logger | false;
}

/**
 * Serves `server` over standard streams, one JSON-RPC message a line. Requests run at once and are
 * answered as they finish; an id that is still in use is refused with -32600. Resolves when the
 * client has closed the input, subscriptions have been ended, and what was under way is answered or
 * aborted. Rejects only with `usage`, where a setting can't be meant.
 *
 * Suspensions nobody awaited no longer end the process; all else that goes unhandled does.
 * Specification: basic/transports/stdio.
 */
export function serveStdio(server: Dispatcher, options: StdioOptions = {}): Promise<void> {
  return serveStreams(server, options, systemTimers);
}

/** {@link serveStdio} with timers of the caller's. */
export async function serveStreams(
  server: Dispatcher,
  options: StdioOptions,
  timers: Timers,
): Promise<void> {
  const { input = process.stdin, output = process.stdout } = options;
  ignoreUnhandledSuspensions();
  const giveConsoleBack = output === process.stdout ? keepConsoleOffStdout() : undefined;
  try {
    await new StdioConversation(server, input, output, {
      principal: options.principal,
      maxMessageBytes: positive("maxMessageBytes", options.maxMessageBytes ?? MAX_MESSAGE_BYTES),
      graceMs: positive("graceMs", options.graceMs ?? GRACE_MS),
      log: loggerOf(options.log),
      timers,
    }).over;
  } finally {
    giveConsoleBack?.();
  }
}

/** Less than a client waits between closing the input and killing the process. */
const GRACE_MS = 1_000;
