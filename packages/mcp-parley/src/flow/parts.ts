import type { Ledger } from "../ledger/ledger.js";
import type { Principal } from "../state/principal.js";
import type { Random } from "../state/random.js";
import type { States } from "../state/states.js";
import type { Clock } from "../ledger/clock.js";
import type { FlowListener } from "./events.js";
import type { FlowTracing } from "./tracing.js";

/** What flows are run with. */
export interface FlowParts {
  readonly states: States;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** How long a worker may be silent before others take it for gone, in ms. */
  readonly lease: number;
  readonly random: Random;
  readonly listener: FlowListener;
  readonly tracing?: FlowTracing | undefined;
  /** Makes the ticket of a link. */
  readonly ticket: (flow: string, key: string, principal: Principal | undefined) => string;
}
