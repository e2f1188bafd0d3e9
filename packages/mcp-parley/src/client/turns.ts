import { INVALID_PARAMS } from "../protocol/codes.js";
import type { RpcError } from "../protocol/errors.js";
import type { InputRequests } from "../protocol/input.js";
import { type JSONObject, isObject, own } from "../protocol/json.js";
import { type AskingMethod, nameOf } from "../protocol/methods.js";
import type { Asker } from "./answers.js";
import type { ResultOf } from "./calls.js";
import type { Clock } from "./clock.js";
import { failureOf } from "./failures.js";
import type { PendingCall } from "./pending.js";
import { requireList } from "./results.js";
import type { Answered, RequestOptions, Sender } from "./sending.js";

/** What one round of a call came to. */
export type Turn<Method extends AskingMethod = AskingMethod> =
  | { readonly kind: "complete"; readonly result: ResultOf<Method> }
  /** The server needs answers, or only time: `pending` says which. */
  | { readonly kind: "input_required"; readonly pending: PendingCall<Method> }
  /** The server refused its own state, and says why. `restart` begins the same call anew. */
  | {
      readonly kind: "refused";
      readonly reason: RefusedReason;
      readonly pending: PendingCall<Method>;
      readonly error: RpcError;
    }
  /** A result of an extension the client declared. */
  | { readonly kind: "extension"; readonly resultType: string; readonly result: JSONObject };

/** Why a server refused its own state: its time was over, or it had been used. */
export type RefusedReason = "expired" | "spent";

/** One round, as it happened: what a host may show or log. */
export interface RoundEvent {
  readonly method: AskingMethod;
  /** The tool's or prompt's name, or the resource's URI. */
  readonly name: string;
  /** 1 for the first. */
  readonly round: number;
  /** The JSON-RPC id of the request. */
  readonly id: number;
  /** What the round came to; an error is one of the server's. */
  readonly outcome: "complete" | "input_required" | "refused" | "extension" | "error";
  /** What the server asks, by key. */
  readonly questions: InputRequests;
  /** How long the server's state is, in characters; undefined where there is none. */
  readonly stateSize: number | undefined;
  /** How long the server took, in ms. */
  readonly took: number;
  /** How long the answers this request carried had taken, in ms. */
  readonly answering: number;
}

/** A call as it was first made: its params without answers or state. */
export type CallMade<Method extends AskingMethod> = Pick<
  PendingCall<Method>,
  "method" | "params" | "capabilities"
>;

/** How a round is sent, and who hears of it. */
export interface TurnOptions extends RequestOptions {
  /** Called after each round the server answered. What it throws ends the call. */
  readonly onRound?: ((round: RoundEvent) => void) | undefined;
}

/**
 * Plays rounds, one request each.
 *
 * 1. A retry is a new request with a new id and the params of the call as it was first made.
 * 2. It carries the answers to this round's questions, all of them and no others, or none.
 * 3. It carries the state this round brought, exactly, or none.
 *
 * Specification: basic/patterns/mrtr, client requirements.
 */
export class Turns {
  readonly #requests: Sender;
  readonly #server: Asker;
  readonly #clock: Clock;

  constructor(requests: Sender, server: Asker, clock: Clock) {
    this.#requests = requests;
    this.#server = server;
    this.#clock = clock;
  }

  /** The first round of a call. */
  begin<Method extends AskingMethod>(
    call: CallMade<Method>,
    timeout: number,
    options: TurnOptions,
  ): Promise<Turn<Method>> {
    return this.#take(call, undefined, timeout, options, 0);
  }

  /** The next round of a call that is answered in full. `answering` is how long that took, in ms. */
  retry<Method extends AskingMethod>(
    after: PendingCall<Method>,
    timeout: number,
    options: TurnOptions,
    answering: number,
  ): Promise<Turn<Method>> {
    return this.#take(after, after, timeout, options, answering);
  }

  async #take<Method extends AskingMethod>(
    call: CallMade<Method>,
    after: PendingCall<Method> | undefined,
    timeout: number,
    options: TurnOptions,
    answering: number,
  ): Promise<Turn<Method>> {
    const { method, capabilities } = call;
    const asking = {
      method,
      params: call.params,
      capabilities,
      retry: after,
      notId: after?.requestId,
    };
    const began = this.#clock.now();
    const answer = await this.#requests.send(asking, timeout, options);
    const took = this.#clock.now() - began;
    const report = (outcome: RoundEvent["outcome"]): void => {
      if (answer.isKept === true) return; // no round was played
      options.onRound?.({
        method,
        name: nameOf(method, call.params) ?? "",
        round: (after?.round ?? 0) + 1,
        id: answer.id,
        outcome,
        questions: questionsOf(answer),
        stateSize: answer.kind === "input_required" ? answer.requestState?.length : undefined,
        took,
        answering,
      });
    };
    let turn: Turn<Method>;
    try {
      turn = this.#judge(call, after, answer);
    } catch (error) {
      report("error");
      throw error;
    }
    report(turn.kind);
    return turn;
  }

  /** What the answer makes of the call. */
  #judge<Method extends AskingMethod>(
    call: CallMade<Method>,
    after: PendingCall<Method> | undefined,
    answer: Answered,
  ): Turn<Method> {
    switch (answer.kind) {
      case "complete":
        requireList(call.method, answer.result);
        return { kind: "complete", result: answer.result as unknown as ResultOf<Method> };
      case "input_required":
        return { kind: "input_required", pending: this.#pending(call, after, answer) };
      case "extension":
        return {
          kind: "extension",
          resultType: answer.resultType,
          result: answer.result as JSONObject,
        };
      case "error": {
        const reason = refusalOf(answer.error);
        // Only a state that was sent can be refused.
        if (after?.requestState === undefined || reason === undefined) throw answer.error;
        return { kind: "refused", reason, pending: after, error: answer.error };
      }
      case "status":
        throw failureOf(answer, call.method);
    }
  }

  #pending<Method extends AskingMethod>(
    { method, params, capabilities }: CallMade<Method>,
    after: PendingCall<Method> | undefined,
    answer: Answered & { kind: "input_required" },
  ): PendingCall<Method> {
    const inputRequests = questionsOf(answer);
    const meta = own(answer.result, "_meta");
    const expiresAt = isObject(meta) ? own(meta, EXPIRES) : undefined;
    return {
      version: 1,
      server: this.#server,
      method,
      params,
      capabilities,
      round: (after?.round ?? 0) + 1,
      idle: Object.keys(inputRequests).length === 0 ? (after?.idle ?? 0) + 1 : 0,
      requestId: answer.id,
      inputRequests,
      answers: {},
      ...(answer.requestState !== undefined && { requestState: answer.requestState }),
      ...(typeof expiresAt === "number" && { expiresAt }),
    };
  }
}

/** Where our servers say when the state they gave ends; other servers may say so, too. */
const EXPIRES = "mcp-parley/expires";

function questionsOf(answer: Answered): InputRequests {
  return answer.kind === "input_required" ? (answer.inputRequests ?? {}) : {};
}

/** The reason a server gives the rightful owner of a state for refusing it. */
function refusalOf({ rpcCode, data }: RpcError): RefusedReason | undefined {
  const reason = rpcCode === INVALID_PARAMS && isObject(data) ? data["reason"] : undefined;
  return reason === "expired" || reason === "spent" ? reason : undefined;
}
