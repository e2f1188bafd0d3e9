import { createLedger } from "../ledger/create.js";
import type { Protect } from "../ledger/protect.js";
import { createStates } from "../state/create-states.js";
import { isParleyError } from "../protocol/errors.js";
import { quoted } from "../protocol/json.js";
import { decodeBase64url } from "../state/base64url.js";
import { systemRandom } from "../state/random.js";
import { keyRing } from "../state/ring.js";
import { Sealer } from "../state/sealer.js";
import { createTickets } from "../state/tickets.js";
import type { Tickets } from "../state/tickets.js";
import { memoryStore } from "../store/memory.js";
import { systemClock } from "../ledger/clock.js";
import type { FlowEvent } from "./events.js";
import { INSTRUMENTS } from "./instruments.js";
import type { Logger, ParleyEvent, ParleyOptions } from "./options.js";
import type { FlowParts } from "./parts.js";
import { createFlows } from "./run.js";
import { flowSettings } from "./settings.js";
import type { FlowSettings } from "./settings.js";
import type { Flows } from "./request.js";

/** What a server runs its flows with. */
export interface Foundation {
  readonly flows: Flows;
  readonly tickets: Tickets;
  readonly settings: FlowSettings;
  readonly log: Logger;
  /** Stops timers and watching; what was opened by others stays open. */
  close(): void;
}

const SILENT: Logger = { warn: () => undefined, error: () => undefined };

/** Makes of the options what flows stand on. `audience` is the server's name. */
export function foundation(audience: string, options: ParleyOptions): Foundation {
  const { clock = systemClock, random = systemRandom } = options[INSTRUMENTS] ?? {};
  const now = (): number => clock.now();
  const log = options.log === false ? SILENT : (options.log ?? console);
  const keys = keyRing(options.keys);
  const store = options.store ?? memoryStore({}, now);
  warnOfLimits(keys.ephemeral, options.store === undefined, log);

  const tell = (event: ParleyEvent): void => {
    try {
      options.onEvent?.(event);
    } catch {
      // A listener must not change what happens to the flow.
    }
  };
  keys.listen((event) => {
    if (event.type === "keys_rejected") {
      log.error(`The keys from ${event.source} were refused; the ones before stay`, event.error);
    }
    tell(event);
  });
  const sealer = new Sealer(keys);
  const ledger = createLedger(
    {
      store,
      protect: protectWith(sealer),
      onEvent: (event) => tell({ type: "ledger", ...event }),
    },
    clock,
    random,
  );
  const states = createStates(
    {
      keys,
      audience,
      ...(options.codec === undefined ? {} : { codec: options.codec }),
      ...(options.maxState === undefined ? {} : { maxToken: options.maxState }),
    },
    now,
  );
  const listener = (event: FlowEvent): void => {
    report(event, log);
    tell(event);
  };
  const tickets = createTickets({ keys, audience }, now, random);
  const ticket: FlowParts["ticket"] = (flow, key, principal) =>
    tickets.seal({ flow, key, principal });
  return {
    flows: createFlows({
      states,
      ledger,
      clock,
      random,
      listener,
      tracing: options.tracing,
      ticket,
      lease: leaseOf(options),
    }),
    tickets,
    settings: flowSettings(options.flow),
    log,
    close() {
      ledger.close();
      keys.close();
    },
  };
}

function leaseOf({ lease = 30_000 }: ParleyOptions): number {
  if (Number.isSafeInteger(lease) && lease >= 1_000 && lease <= 600_000) return lease;
  throw new RangeError(`lease is a time in ms, from 1 second to 10 minutes; got ${String(lease)}`);
}

/** What an operator has to see even when nobody listens for events. */
function report(event: FlowEvent, log: Logger): void {
  const where = `${event.method} ${inLog(event.name)}`;
  switch (event.type) {
    case "handler_failed":
      // What the author meant for the user or the client is no fault of the server's.
      if (isParleyError(event.error, "user_error") || isParleyError(event.error, "rpc")) return;
      log.error(`${where}: the handler failed`, event.error);
      return;
    case "round_failed":
      log.error(`${where}: the round failed and nothing was answered`, event.error);
      return;
    case "suspension_swallowed":
      log.warn(
        `${where}: the handler caught a suspension and went on. Its result was discarded; let suspensions pass (isSuspension).`,
      );
      return;
    case "secret_asked":
      log.warn(
        `${where}: form '${event.key}' asks for '${event.field}'. Secrets must not be asked in a form; use a link.`,
      );
      return;
    default:
  }
}

/** A resource's name is the client's own text: it must not begin a line, or move a terminal. */
function inLog(name: string): string {
  return /^[!-~]{1,256}$/.test(name) ? name : quoted(name, 256);
}

function warnOfLimits(ephemeral: boolean, ownMemory: boolean, log: Logger): void {
  if (ephemeral) {
    log.warn(
      "Parley has no keys: this process made one of its own, so no other instance and no restart can open its states. Set PARLEY_KEYS or pass `keys` (make one with `parley keys new`).",
    );
  }
  if (ownMemory) {
    log.warn(
      "Parley remembers in memory what was spent and done: that guards this one process. Pass a shared `store` to guard several.",
    );
  }
}

function protectWith(sealer: Sealer): Protect {
  return {
    protect: (text, row) => sealer.seal("ledger outcome", text, [row]).toString("base64url"),
    reveal(text, row) {
      const box = decodeBase64url(text);
      const opened = box === undefined ? undefined : sealer.open("ledger outcome", box, [row]);
      return opened === undefined || typeof opened === "string" ? undefined : opened.toString();
    },
  };
}
