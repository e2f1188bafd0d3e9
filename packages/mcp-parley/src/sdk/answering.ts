import type { InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import type { Call } from "../flow/call.js";
import type { Failed, RoundError, RoundHandler, RoundOutcome } from "../flow/request.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { INVALID_PARAMS, MISSING_REQUIRED_CLIENT_CAPABILITY } from "../protocol/codes.js";
import { ParleyError } from "../protocol/errors.js";
import { isObject } from "../protocol/json.js";
import { RESOURCES_READ, TOOLS_CALL } from "../protocol/methods.js";
import { OUTCOME_META, failureOf } from "../server/failures.js";
import { asError } from "../server/feature.js";
import type { SdkResult } from "./result.js";
import { WireError, readThrown } from "./thrown.js";
import { needing } from "./unaskable.js";

/** A handler for one request of the SDK's, and how the SDK is told what a round came to. */
export class Answering implements RoundHandler {
  readonly #name: string;
  readonly #run: (call: Call) => unknown;
  readonly #ctx: ServerContext;
  /** What the handler gave in this very round, and its text. */
  #given: { readonly text: string; readonly result: SdkResult } | undefined;

  constructor(name: string, run: (call: Call) => unknown, ctx: ServerContext) {
    this.#name = name;
    this.#run = run;
    this.#ctx = ctx;
  }

  run(call: Call): unknown {
    return this.#run(call);
  }

  complete(value: unknown, retried: boolean): string {
    const result = this.#checked(value, retried);
    const text = JSON.stringify(result);
    this.#given = { text, result };
    return text;
  }

  failed(error: unknown): Failed {
    const failure = failureOf(readThrown(error));
    if (!this.#isTool) return asError(failure);
    const { end, message, outcome } = failure;
    return { kind: "complete", text: JSON.stringify(toolError(message, outcome)), end };
  }

  /** What the SDK is to be given. Throws what it makes a JSON-RPC error of. */
  answer(outcome: RoundOutcome): SdkResult | InputRequiredResult {
    switch (outcome.kind) {
      case "complete":
        return this.#given?.text === outcome.text
          ? this.#given.result
          : (JSON.parse(outcome.text) as SdkResult);
      case "input_required":
        return JSON.parse(outcome.text) as InputRequiredResult;
      case "error":
        return this.#refused(outcome.error);
    }
  }

  /** The SDK makes a tool's result of whatever a tool's handler throws: so does this, with care. */
  #refused({ code, message, data }: RoundError): SdkResult | InputRequiredResult {
    const details = isObject(data) ? data : {};
    if (code === MISSING_REQUIRED_CLIENT_CAPABILITY) {
      const input = needing(details["requiredCapabilities"] as ClientCapabilities);
      if (input !== undefined) return { resultType: "input_required", inputRequests: { input } };
    }
    if (!this.#isTool) throw new WireError(code, message, data);
    const { reason } = details;
    if (typeof reason === "string") return toolError(message, reason);
    return toolError(message, code === INVALID_PARAMS ? "refused" : "failed");
  }

  #checked(value: unknown, retried: boolean): SdkResult {
    if (!isObject(value)) {
      throw new ParleyError("usage", `Flow '${this.#name}' gave no result`);
    }
    if (value["resultType"] === "input_required") {
      throw new ParleyError(
        "usage",
        `Flow '${this.#name}' gave an input_required result: inside a flow, ask with call.ask`,
      );
    }
    const { method, envelope } = this.#ctx.mcpReq;
    if (method !== RESOURCES_READ || !retried || envelope === undefined) return value;
    // What a read came to by answers must not be kept. Specification: server/utilities/caching.
    return { ...value, ttlMs: 0, cacheScope: "private" };
  }

  get #isTool(): boolean {
    return this.#ctx.mcpReq.method === TOOLS_CALL;
  }
}

function toolError(message: string, outcome: string): SdkResult {
  return {
    content: [{ type: "text", text: message }],
    isError: true,
    _meta: { [OUTCOME_META]: outcome },
  };
}
