import type { InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import type { Call } from "../flow/call.js";
import type { Foundation } from "../flow/foundation.js";
import { INTERNAL } from "../flow/refusals.js";
import type { RoundOutcome } from "../flow/request.js";
import { flowSettings } from "../flow/settings.js";
import type { FlowSettings } from "../flow/settings.js";
import { requestDigest } from "../state/digest.js";
import { Answering } from "./answering.js";
import type { Callers } from "./callers.js";
import type { EarlyStates } from "./early-states.js";
import type { SdkFlowOptions } from "./options.js";
import { requestOf } from "./request.js";
import type { SdkResult } from "./result.js";

/** What all flows of one Parley share. */
export interface SdkParts {
  readonly base: Foundation;
  readonly callers: Callers;
  readonly states: EarlyStates;
}

/** A handler of an author's: what the SDK's would get, and the call. */
export type AnyHandler = (...given: unknown[]) => unknown;

/** One flow of a server of the SDK's. */
export class SdkFlow {
  readonly #parts: SdkParts;
  readonly #name: string;
  readonly #handler: AnyHandler;
  readonly #settings: FlowSettings;
  readonly #declared: SdkFlowOptions["capabilities"];

  constructor(parts: SdkParts, name: string, handler: AnyHandler, options: SdkFlowOptions) {
    const { capabilities, ...settings } = options;
    this.#parts = parts;
    this.#name = name;
    this.#handler = handler;
    this.#settings = flowSettings(settings, parts.base.settings);
    this.#declared = capabilities;
  }

  /** Answers one request, or throws what the SDK makes a JSON-RPC error of. */
  async answer(
    given: readonly unknown[],
    ctx: ServerContext,
  ): Promise<SdkResult | InputRequiredResult> {
    const run = (call: Call): unknown => this.#handler(...given, call);
    const answering = new Answering(this.#name, run, ctx);
    return answering.answer(await this.#round(given, ctx, answering));
  }

  async #round(
    given: readonly unknown[],
    ctx: ServerContext,
    answering: Answering,
  ): Promise<RoundOutcome> {
    const { base, callers, states } = this.#parts;
    try {
      const request = requestOf(this.#name, given, ctx, {
        ...states.callerOf(ctx),
        capabilities: callers.capabilities(ctx, this.#declared),
        settings: this.#settings,
      });
      const { method, params, settings } = request;
      const outcome = await base.flows.run(request, answering);
      if (outcome.kind === "error" && requestDigest(method, params, settings.salient) === undefined)
        base.log.error(this.#unbindable());
      return outcome;
    } catch (error) {
      // An author's `principal` or `capabilities` threw: the SDK would tell the client what.
      base.log.error(`${ctx.mcpReq.method} ${this.#name}: the flow could not begin`, error);
      return INTERNAL;
    }
  }

  #unbindable(): string {
    return `Flow '${this.#name}': no state can be bound to these arguments. Where the schema makes dates, maps or the like of them, name those that are plain JSON and matter in \`salient\`.`;
  }
}
