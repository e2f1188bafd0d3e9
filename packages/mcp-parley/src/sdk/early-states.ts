import type { ServerContext } from "@modelcontextprotocol/server";
import type { Flows } from "../flow/request.js";
import { isAskingMethod } from "../protocol/methods.js";
import type { Principal } from "../state/principal.js";
import type { Unbound } from "../state/states.js";
import type { Callers } from "./callers.js";

/** What a flow is told of its caller: who it is, and the state that was opened for it. */
export interface Caller {
  readonly principal: Principal | undefined;
  readonly early: Unbound | undefined;
}

/** Opens states where the SDK can still refuse them, above the handlers. */
export class EarlyStates {
  readonly #flows: Flows;
  readonly #callers: Callers;
  /** States that wait for their handler to run, and whose they are. */
  readonly #opened = new WeakMap<object, Principal | undefined>();

  constructor(flows: Flows, callers: Callers) {
    this.#flows = flows;
    this.#callers = callers;
  }

  /** What this throws goes to the server's `onerror`; the client learns that its state is invalid. */
  async verify(token: string, ctx: ServerContext): Promise<Unbound> {
    const { method, droppedInputResponseKeys: dropped = [] } = ctx.mcpReq;
    if (!isAskingMethod(method)) throw new Error(`${method} takes no state`);
    if (dropped.length > 0) throw new Error("the inputResponses are malformed");
    const principal = this.#callers.principal(ctx);
    const opened = await this.#flows.openEarly(method, token, principal);
    if (!opened.ok) throw new Error(opened.refusal);
    this.#opened.set(opened.state, principal);
    return opened.state;
  }

  /** Without this hook in its server, a request has no early state, and its flow opens it itself. */
  callerOf(ctx: ServerContext): Caller {
    const state = ctx.mcpReq.requestState<Unbound>();
    return typeof state === "object" && this.#opened.has(state)
      ? { principal: this.#opened.get(state), early: state }
      : { principal: this.#callers.principal(ctx), early: undefined };
  }
}
