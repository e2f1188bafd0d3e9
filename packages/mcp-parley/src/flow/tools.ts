import type { LoggingLevel } from "../protocol/notifications.js";
import type { Awaitable, JSONValue } from "../protocol/json.js";
import type { Effect, OnceOptions } from "./call.js";
import type { Clock } from "../ledger/clock.js";
import type { FlowHappening } from "./events.js";

/** What a round is given to work with. */
export interface RoundTools {
  readonly clock: Clock;
  /** The flow's id. */
  readonly flow: string;
  signal(): AbortSignal;
  emit(event: FlowHappening): void;
  progress(progress: number, total: number | undefined, message: string | undefined): void;
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
  /** A ticket that binds this flow, a question and the principal. */
  ticket(key: string): string;
  /** Throws `state_too_large`, naming what is large, when the journal will not fit into a state. */
  checkRoom(): void;
  /** Runs an effect at most once. `busy` when somebody else is at it, or at this round. */
  perform<T>(
    key: string,
    run: (effect: Effect) => Awaitable<T>,
    options: OnceOptions<T>,
  ): Promise<{ kind: "done"; value: JSONValue | undefined; inLedger: boolean } | { kind: "busy" }>;
}
