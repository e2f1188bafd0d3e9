import type { ParleyEvent } from "../flow/options.js";

/** A mistake in a handler that its result did not show. */
export interface Finding {
  readonly kind: "suspension_swallowed" | "diverged" | "question_changed" | "replies_differ";
  /** The tool, prompt or resource. */
  readonly name: string;
  /** The question's key, where it is about one. */
  readonly key: string | undefined;
  /** Where the question was put, as `file:line:column`. */
  readonly line: string | undefined;
}

/** Watches the events of a rehearsal for mistakes, and remembers where questions were put. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #lines = new Map<string, string>();
  readonly #last = new Map<string, string>();

  /** To be given to a server as its listener: it is called from inside of `call.ask`. */
  readonly listen = (event: ParleyEvent): void => {
    if (!("method" in event)) return; // of the ledger or the keys, not of a flow
    const { name, flow = "" } = event;
    switch (event.type) {
      case "question_put": {
        this.#lines.set(`${flow} ${event.key}`, callerLine() ?? "");
        this.#last.set(flow, event.key);
        return;
      }
      case "suspension_swallowed":
        this.#add(event.type, name, flow, this.#last.get(flow));
        return;
      case "diverged":
      case "question_changed":
        this.#add(event.type, name, flow, event.key);
        return;
      default:
    }
  };

  #add(kind: Finding["kind"], name: string, flow: string, key: string | undefined): void {
    const line = key === undefined ? undefined : this.#lines.get(`${flow} ${key}`);
    this.list.push({ kind, name, key, line: line === "" ? undefined : line });
  }
}

/** The innermost line of the stack that is not this package's own. */
function callerLine(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const stack = new Error().stack ?? "";
  Error.stackTraceLimit = stackTraceLimit;
  for (const frame of stack.split("\n").slice(1)) {
    const place = /\(?((?:file:\/\/)?\/[^()]+:\d+:\d+)\)?$/.exec(frame)?.[1];
    if (place !== undefined && !OWN.test(place)) return place;
  }
  return undefined;
}

const OWN = /\/(src|dist)\/(testing|flow|server|state|ledger|store|protocol)\/|node:|node_modules/;
