/**
 * Runs a handler for one round and makes the round's result of what it comes to.
 *
 * 1. Once a question is pending the round is `input_required`, whatever the handler then does.
 * 2. A run that leaves out what came before a settled effect ends the flow.
 * 3. No call of the handler's counts once its round has been answered.
 */
import type { InputResponse } from "../protocol/input.js";
import { chain, isPromiseLike } from "../protocol/json.js";
import type { Awaitable, JSONValue } from "../protocol/json.js";
import type { Claims } from "../state/claims.js";
import { CapabilityMissing, ended } from "./endings.js";
import { begunWork, endingOf } from "./ending.js";
import type { Ending } from "./ending.js";
import type { FlowHappening, RoundEndWord } from "./events.js";
import { packJournal } from "./flow-state.js";
import { interim } from "./interim.js";
import type { FlowParts } from "./parts.js";
import { capabilityMissing } from "./refusals.js";
import type { RoundHandler, RoundOutcome, RoundRequest } from "./request.js";
import { Round } from "./round.js";
import { roundTools } from "./round-tools.js";
import type { Grounds } from "./round-tools.js";
import { sealState } from "./seal-state.js";
import { isSuspension } from "./suspension.js";

/** What is known of the flow when its handler is run. */
export interface Held extends Grounds {
  readonly round: number;
  /** True when the request carried a state. */
  readonly held: boolean;
  /** Answers that came with a first call. */
  readonly unasked: ReadonlyMap<string, InputResponse>;
  /** True when the request carried a state or answers. */
  readonly retried: boolean;
}

/** What an execution came to. */
export interface Executed {
  readonly outcome: RoundOutcome;
  readonly end: RoundEndWord;
}

/** How often a handler may step back in one round. */
const REWINDS = 10;

export class Execution {
  readonly #parts: FlowParts;
  readonly #request: RoundRequest;
  readonly #handler: RoundHandler;
  readonly #held: Held;
  readonly #emit: (event: FlowHappening) => void;
  readonly #round: Round;
  #rewinds = 0;

  constructor(
    parts: FlowParts,
    request: RoundRequest,
    handler: RoundHandler,
    held: Held,
    emit: (event: FlowHappening) => void,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#handler = handler;
    this.#held = held;
    this.#emit = emit;
    const { round, unasked, journal } = held;
    const { capabilities, principal, settings } = request;
    const draft = (packed: JSONValue): Claims => this.#draft(packed, null);
    this.#round = new Round(
      { round, held: held.held, unasked, capabilities, principal, repeats: settings.repeats },
      journal,
      roundTools(parts, request, held, draft, emit),
    );
  }

  run(): Awaitable<Executed> {
    let value: unknown;
    try {
      value = this.#handler.run(this.#round);
    } catch (error) {
      return this.#finish({ kind: "threw", error });
    }
    if (!isPromiseLike(value)) return this.#finish({ kind: "returned", value });
    return endingOf(value, this.#round, this.#parts.clock).then((ending) => this.#finish(ending));
  }

  #finish(ending: Ending): Awaitable<Executed> {
    const { end, begun } = this.#round;
    if (begun.size > 0 && (end.suspended || end.fatal !== undefined)) {
      return begunWork(this.#round, this.#parts.clock).then(() => this.#conclude(ending));
    }
    return this.#conclude(ending);
  }

  #conclude(ending: Ending): Awaitable<Executed> {
    const { end } = this.#round;
    if (end.rewound && end.fatal === undefined && ++this.#rewinds <= REWINDS) {
      this.#round.restart();
      return this.run();
    }
    end.close();
    if (end.fatal !== undefined) return this.#failed(end.fatal);
    if (end.suspended || ending.kind === "returned") {
      const leftOut = this.#held.journal.leftOut();
      if (leftOut !== undefined) {
        this.#emit({ type: "diverged", key: leftOut.key });
        return this.#failed(ended.diverged(leftOut.key));
      }
    }
    if (end.suspended) return this.#suspended(ending);
    if (ending.kind === "threw") return this.#failed(ending.error);
    return ending.kind === "returned" ? this.#complete(ending.value) : this.#failed(undefined);
  }

  #suspended(ending: Ending): Awaitable<Executed> {
    const swallowed =
      ending.kind === "returned" || (ending.kind === "threw" && !isSuspension(ending.error));
    if (swallowed) this.#emit({ type: "suspension_swallowed" });
    const { ledger, states } = this.#parts;
    const { principal, meta } = this.#request;
    try {
      return chain(ledger.epoch(), (epoch) => {
        const { journal } = this.#held;
        const claims = this.#draft(packJournal(journal), epoch);
        return chain(sealState(states, claims, principal, journal), (token): Executed => ({
          outcome: interim(this.#round.end.pending, token, claims.expiresAt, meta),
          end: "input_required",
        }));
      });
    } catch (error) {
      return this.#failed(error);
    }
  }

  #complete(value: unknown): Executed {
    try {
      const text = this.#handler.complete(value, this.#held.retried);
      return { outcome: { kind: "complete", text }, end: "complete" };
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): Executed {
    if (error instanceof CapabilityMissing) {
      return { outcome: capabilityMissing(error.required), end: "failed" };
    }
    const failed = this.#handler.failed(error);
    if (failed.end === "failed") {
      this.#emit({ type: "handler_failed", error: failed.fault ?? error });
    }
    return failed.kind === "complete"
      ? { outcome: { kind: "complete", text: failed.text }, end: failed.end }
      : { outcome: { kind: "error", error: failed.error }, end: failed.end };
  }

  /** The claims of the state this round would end with. */
  #draft(journal: JSONValue, epoch: string | null): Claims {
    const { flow, round } = this.#held;
    const now = this.#parts.clock.now();
    return {
      request: flow.request,
      issuedAt: now,
      expiresAt: Math.min(now + this.#request.settings.life, flow.deadline),
      deadline: flow.deadline,
      flow: flow.id,
      use: this.#parts.random.id(),
      round,
      epoch,
      asked: this.#round.end.asked,
      journal,
    };
  }
}
