import type { LedgerEvent } from "../ledger/events.js";
import type { StateCodec } from "../state/codec.js";
import type { KeySource } from "../state/key-source.js";
import type { KeyEvent } from "../state/ring.js";
import type { Store } from "../store/store.js";
import type { FlowEvent } from "./events.js";
import type { INSTRUMENTS, Instruments } from "./instruments.js";
import type { FlowSettings } from "./settings.js";
import type { FlowTracing } from "./tracing.js";

/** Where Parley says what its operator should know. `console` is one. */
export interface Logger {
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}

/** Everything Parley noticed: of flows, of the ledger behind them, and of its keys. */
export type ParleyEvent = FlowEvent | ({ readonly type: "ledger" } & LedgerEvent) | KeyEvent;

/** What flows stand on: keys, a store, bounds, and who is told what happens. */
export interface ParleyOptions {
  /**
   * Keys that protect request states: each 32 random bytes, encoded; the first seals, every one
   * opens. A value, several, or a source such as a file. Default: `PARLEY_KEYS`; without it the
   * process makes a key of its own and says so, since no other instance and no restart can then
   * open its states. Throws `key_invalid`.
   */
  readonly keys?: string | readonly string[] | KeySource;
  /**
   * What remembers which states were spent and which effects happened. Default: this process's
   * memory, which guards one process.
   */
  readonly store?: Store;
  /** How states travel. Default: sealed, so that nobody but the fleet reads them. */
  readonly codec?: StateCodec;
  /** The longest request state, in characters. Default 32768. */
  readonly maxState?: number;
  /** Bounds of every flow; a tool may set its own. */
  readonly flow?: Partial<FlowSettings>;
  /**
   * How long a worker may be silent before others take it for gone, in ms: what it was doing is then
   * run again, but for an effect that had begun, which is looked into (`recover`). Workers that are
   * alive renew it. 1 second to 10 minutes; default 30 seconds.
   */
  readonly lease?: number;
  /** Is told what happens; what it throws is ignored. */
  readonly onEvent?: (event: ParleyEvent) => void;
  /** Watches every round, such as `otelTracing` of `mcp-parley/otel`. Default: nobody. */
  readonly tracing?: FlowTracing;
  /** Default: `console`; false is silent. */
  readonly log?: Logger | false;
  /** Set by a rehearsal alone. */
  readonly [INSTRUMENTS]?: Instruments;
}
