/**
 * Runs one round: open the state, admit the answers, claim the state's single use, run the
 * handler, answer. Specification: basic/patterns/mrtr.
 *
 * 1. A state that fails is an error, never silently a fresh start.
 * 2. What is refused before the handler ran gives its claim back; what the handler came to
 *    settles it, unless a corrected retry could still complete.
 * 3. Once an effect may have begun in a round, only the same answers run it again: a flow has one
 *    history.
 * 4. A result that is given again is held against the capabilities of the request that gets it.
 */
import type { InputResponse } from "../protocol/input.js";
import { chain, isPromiseLike, own } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import type { Claimed, Hold } from "../ledger/ledger.js";
import type { Asked, Claims } from "../state/claims.js";
import { requestDigest } from "../state/digest.js";
import type { Opened } from "../state/states.js";
import { admit, readAnswers } from "./admit.js";
import type { FlowEvent, FlowHappening, RoundEndWord } from "./events.js";
import { Execution } from "./execution.js";
import type { Held } from "./execution.js";
import { packJournal, unpackJournal } from "./flow-state.js";
import { Journal } from "./journal.js";
import type { FlowParts } from "./parts.js";
import { INTERNAL, invalidParams, stateRefused } from "./refusals.js";
import type { Flows, RoundHandler, RoundOutcome, RoundRequest } from "./request.js";
import { holderOf } from "./round-tools.js";
import { decodeOutcome, encodeOutcome } from "./stored-outcome.js";
import { interim } from "./interim.js";
import type { RoundWatch } from "./tracing.js";
import { watched } from "./watched.js";

/** How long a duplicate waits for the first before it is sent away with a state, in ms. */
const DUPLICATE_WAIT = 2_000;
/** How long the very bytes of a result are kept for whoever asks again, in ms. */
const RESULT_KEPT = 60_000;
/** How much longer than a state its use is remembered, in ms: clocks may differ. */
const SKEW = 60_000;

const ANYWAY = (): boolean => true;

/** Runs the rounds of flows. */
export function createFlows(parts: FlowParts): Flows {
  return {
    run(request, handler) {
      const { tracing } = parts;
      if (tracing === undefined) return new Run(parts, request, handler).run();
      return watched(parts, tracing, request, (hearing, watch) =>
        new Run(hearing, request, handler, watch).run(),
      );
    },
    openEarly(method, state, principal) {
      return chain(parts.states.openEarly(state, principal), (opened) => {
        if (!opened.ok) {
          const unknown = { name: "", flow: undefined, round: undefined };
          tell(parts, { method, ...unknown, type: "state_refused", refusal: opened.refusal });
        }
        return opened;
      });
    },
  };
}

function tell({ listener }: FlowParts, event: FlowEvent): void {
  try {
    listener(event);
  } catch {
    // A listener must not change what happens to the flow.
  }
}

class Run {
  readonly #parts: FlowParts;
  readonly #request: RoundRequest;
  readonly #handler: RoundHandler;
  readonly #watch: RoundWatch | undefined;
  readonly #began: number;
  #flow: string | undefined;
  #round: number | undefined;

  constructor(parts: FlowParts, request: RoundRequest, handler: RoundHandler, watch?: RoundWatch) {
    this.#parts = parts;
    this.#request = request;
    this.#handler = handler;
    this.#watch = watch;
    this.#began = parts.clock.now();
  }

  /** Never throws and never rejects: what was not foreseen is an internal error. */
  run(): Awaitable<RoundOutcome> {
    return attempt(
      () => this.#start(),
      (error) => this.#broken(error),
    );
  }

  #start(): Awaitable<RoundOutcome> {
    const { params, principal, method, settings, early } = this.#request;
    const state = own(params, "requestState");
    const answers = readAnswers(own(params, "inputResponses"));
    let digest: string | undefined;
    const request = (): string =>
      (digest ??= requestDigest(method, params, settings.salient) ?? "");
    if (state === undefined && early === undefined) {
      if (typeof answers === "string") return invalidParams(answers);
      return this.#first(answers, request());
    }
    const open =
      early === undefined
        ? this.#parts.states.open(state, { principal, request })
        : early.bind(request());
    return chain(open, (opened: Opened) => {
      if (!opened.ok) {
        this.#emit({ type: "state_refused", refusal: opened.refusal });
        return stateRefused(opened.tell);
      }
      this.#flow = opened.claims.flow;
      this.#round = opened.claims.round + 1;
      if (typeof answers === "string") return invalidParams(answers);
      return this.#next(opened.claims, answers);
    });
  }

  /** A first call: a new flow, and nothing claimed. */
  #first(unasked: ReadonlyMap<string, InputResponse>, digest: string): Awaitable<RoundOutcome> {
    if (digest === "") return invalidParams("The parameters are nested too deeply or not Unicode");
    const flow = this.#parts.random.id();
    this.#flow = flow;
    this.#round = 1;
    const deadline = this.#began + this.#request.settings.deadline;
    return this.#execute({
      flow: { id: flow, deadline, request: digest },
      round: 1,
      held: false,
      journal: new Journal(),
      unasked,
      retried: unasked.size > 0,
      pin: ANYWAY,
    });
  }

  /** A retry: what the state remembers, and the answers that have come. */
  #next(claims: Claims, answers: ReadonlyMap<string, InputResponse>): Awaitable<RoundOutcome> {
    return chain(this.#parts.ledger.epoch(), (epoch) => {
      if (this.#request.settings.singleUse && epoch !== claims.epoch) {
        this.#emit({ type: "state_refused", refusal: "state_lost" });
        return stateRefused(undefined);
      }
      const { packed, journal, carried } = unpackJournal(claims);
      const given = carried === undefined ? answers : asMap(carried);
      const admitted = admit(given, claims.asked);
      for (const key of admitted.ignored) this.#emit({ type: "answer_ignored", key });
      for (const [{ key, digest }, response] of admitted.answers) {
        journal.add({ kind: "answer", key, digest, response }, false);
      }
      const { flow, round, deadline, request } = claims;
      const held: Held = {
        flow: { id: flow, deadline, request },
        round: round + 1,
        held: true,
        journal,
        unasked: new Map(),
        retried: true,
        pin: ANYWAY,
      };
      if (!this.#request.settings.singleUse) return this.#execute(held);
      const carryOn = (): Awaitable<RoundOutcome> =>
        this.#handBack({ ...claims, journal: packJournal(packed, admitted.answers) });
      return this.#claim(claims, admitted.fingerprint, held, carryOn);
    });
  }

  #claim(
    claims: Claims,
    fingerprint: string,
    held: Held,
    carryOn: () => Awaitable<RoundOutcome>,
  ): Awaitable<RoundOutcome> {
    const { ledger, clock, lease } = this.#parts;
    const holder = holderOf(this.#request.principal);
    const claim = (): Awaitable<Claimed> =>
      ledger.claim(`round ${claims.use}`, fingerprint, {
        notAfter: claims.expiresAt + SKEW,
        lease,
        effect: false,
        holder,
      });
    const end = clock.now() + DUPLICATE_WAIT;
    const act = (claimed: Claimed): Awaitable<RoundOutcome> => {
      switch (claimed.kind) {
        case "fresh": {
          const { hold } = claimed;
          // Where nothing was asked, there are no other answers to be had.
          const pin = claims.asked.length === 0 ? held.pin : () => hold.pin();
          return this.#guarded({ ...held, pin }, hold);
        }
        case "settled":
          if (claimed.outcome === undefined) return this.#spent();
          this.#ended("duplicated");
          return decodeOutcome(claimed.outcome, this.#request.capabilities);
        case "mismatch":
          return this.#spent();
        case "past":
          this.#emit({ type: "state_refused", refusal: "state_expired" });
          return stateRefused("expired");
        case "indeterminate":
          return chain(claimed.take(), act);
        case "in_flight": {
          const left = end - clock.now();
          if (left <= 0) return carryOn();
          return claimed.wait(left).then(() => chain(claim(), act));
        }
      }
    };
    return chain(claim(), act);
  }

  #spent(): RoundOutcome {
    this.#emit({ type: "state_refused", refusal: "state_spent" });
    return stateRefused("spent");
  }

  /** Runs the handler under a claim, and settles or gives back the claim. */
  #guarded(held: Held, hold: Hold): Awaitable<RoundOutcome> {
    const { capabilities } = this.#request;
    const giveBack = (error: unknown): Awaitable<RoundOutcome> =>
      chain(hold.release(), () => this.#broken(error));
    return chain(
      attempt(() => this.#execute(held), giveBack),
      (outcome) => {
        if (outcome.kind === "error" && outcome.mendable === true)
          return chain(hold.release(), () => outcome);
        return chain(hold.settle(encodeOutcome(outcome), RESULT_KEPT), (settled) => {
          if (settled.won) return outcome;
          return settled.outcome === undefined
            ? this.#spent()
            : decodeOutcome(settled.outcome, capabilities);
        });
      },
    );
  }

  #execute(held: Held): Awaitable<RoundOutcome> {
    const emit = (event: FlowHappening): void => this.#emit(event);
    const execution = new Execution(this.#parts, this.#request, this.#handler, held, emit);
    const executed =
      this.#watch === undefined
        ? execution.run()
        : this.#watch.within(held.flow.id, held.round, () => execution.run());
    return chain(executed, ({ outcome, end }) => {
      this.#ended(end);
      return outcome;
    });
  }

  /** Sends a duplicate away with a state that carries the same round on. */
  #handBack(claims: Claims): Awaitable<RoundOutcome> {
    this.#ended("in_flight");
    const { principal, meta } = this.#request;
    return chain(this.#parts.states.seal(claims, principal), (token) =>
      interim([], token, claims.expiresAt, meta),
    );
  }

  #ended(end: RoundEndWord): void {
    this.#emit({ type: "round_ended", end, ms: this.#parts.clock.now() - this.#began });
  }

  #broken(error: unknown): RoundOutcome {
    this.#emit({ type: "round_failed", error });
    return INTERNAL;
  }

  #emit(event: FlowHappening): void {
    const { method, name } = this.#request;
    tell(this.#parts, { method, name, flow: this.#flow, round: this.#round, ...event });
  }
}

/** Like try and catch, for what may be a promise. */
function attempt<T>(
  run: () => Awaitable<T>,
  failed: (error: unknown) => Awaitable<T>,
): Awaitable<T> {
  try {
    const value = run();
    return isPromiseLike(value) ? value.then(undefined, failed) : value;
  } catch (error) {
    return failed(error);
  }
}

function asMap(
  carried: readonly (readonly [Asked, InputResponse])[],
): ReadonlyMap<string, InputResponse> {
  return new Map(carried.map(([{ key }, response]) => [key, response]));
}
