import type { ClientCapabilities } from "../protocol/capabilities.js";
import { classify } from "../protocol/classify.js";
import { HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION } from "../protocol/codes.js";
import { ParleyError, RpcError } from "../protocol/errors.js";
import type { Implementation } from "../protocol/features.js";
import type { InputRequests } from "../protocol/input.js";
import { isObject } from "../protocol/json.js";
import { PROTOCOL_VERSION, TOOLS_CALL, TOOLS_LIST } from "../protocol/methods.js";
import type { ParamHeader } from "../protocol/param-headers.js";
import { Allowance } from "./allowance.js";
import { type Cancellation, Canceller, follow } from "./cancel.js";
import type { Clock } from "./clock.js";
import { type Listeners, listenTo, stamp } from "./envelope.js";
import type { Incoming, Link } from "./link.js";
import { listUntil } from "./list-until.js";
import { type ToolHeaders, sendsSame } from "./tool-headers.js";

/** How one request is sent, and what the host wants to hear of it meanwhile. */
export interface RequestOptions extends Listeners {
  /** Aborts the request, and the call it belongs to: nothing more is sent. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the answer, in milliseconds; default a minute. `timeout` when it is over. */
  readonly timeout?: number | undefined;
}

/** A request before it has an id and its `_meta`. */
export interface Asking {
  readonly method: string;
  /** With the caller's own `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly capabilities: ClientCapabilities;
  /** An id this request must not have: that of the one it retries. */
  readonly notId?: number | undefined;
}

/** What a request came to. */
export type Answered = { readonly id: number } & (
  | { kind: "complete"; result: Record<string, unknown> }
  | {
      kind: "input_required";
      inputRequests: InputRequests | undefined;
      requestState: string | undefined;
      result: Record<string, unknown>;
    }
  | { kind: "extension"; resultType: string; result: Record<string, unknown> }
  | { kind: "error"; error: RpcError }
  | { kind: "status"; status: number }
);

/** Numbers requests, stamps them, sends them, and says what each came to. */
export class Requests {
  readonly #link: Link;
  readonly #info: Implementation;
  readonly #closing: Cancellation;
  readonly #clock: Clock;
  readonly #resultTypes: ReadonlySet<string>;
  readonly #tools: ToolHeaders;
  #lastId = 0;

  /** `resultTypes` are those of the extensions the client declares. */
  constructor(
    link: Link,
    info: Implementation,
    resultTypes: readonly string[],
    closing: Cancellation,
    clock: Clock,
    tools: ToolHeaders,
  ) {
    this.#link = link;
    this.#info = info;
    this.#resultTypes = new Set(resultTypes);
    this.#closing = closing;
    this.#clock = clock;
    this.#tools = tools;
  }

  /**
   * Sends one request and gives what it came to, the server's error included. Rejects with
   * `transport_failed`, `result_invalid`, `version_unsupported`, `timeout` or `aborted` where it came
   * to nothing.
   *
   * The server is asked once more, under a new id, where it refused the revision and yet lists it
   * (basic/versioning, Protocol Version Negotiation), and where it missed headers that its
   * tools, listed anew, turn out to want (basic/transports/streamable-http, Client Behavior).
   */
  async send(asking: Asking, timeout: number, options: RequestOptions): Promise<Answered> {
    const mirrored = this.#mirroredBy(asking);
    const first = await this.#sendOnce(asking, timeout, options, mirrored);
    if (first.kind !== "error") return first;
    const { rpcCode, data } = first.error;
    if (rpcCode === HEADER_MISMATCH) {
      const isOther = await this.#listsOtherwise(asking, mirrored, timeout, options);
      return isOther ? this.#sendOnce(asking, timeout, options, this.#mirroredBy(asking)) : first;
    }
    if (rpcCode !== UNSUPPORTED_PROTOCOL_VERSION) return first;
    const supported = isObject(data) ? data["supported"] : undefined;
    if (!Array.isArray(supported)) return first;
    if (!supported.includes(PROTOCOL_VERSION)) throw unsupported(supported, first.error);
    return this.#sendOnce(asking, timeout, options, mirrored);
  }

  /** Lists the tools anew and says whether the call's now mirrors something else than was sent. */
  async #listsOtherwise(
    asking: Asking,
    sent: readonly ParamHeader[] | undefined,
    timeout: number,
    { signal }: RequestOptions,
  ): Promise<boolean> {
    if (!this.#link.mirrors || asking.method !== TOOLS_CALL) return false;
    const { capabilities } = asking;
    const time = new Allowance(timeout, this.#clock);
    const read = async (params: Asking["params"]): Promise<Record<string, unknown>> => {
      const listing = { method: TOOLS_LIST, params, capabilities };
      const send = () => this.#sendOnce(listing, time.left, { signal }, undefined);
      const answer = await time.spend(send);
      return answer.kind === "complete" ? answer.result : {};
    };
    try {
      return await listUntil(read, () => !sendsSame(this.#mirroredBy(asking), sent));
    } catch (error) {
      if (signal?.aborted === true || this.#closing.isCancelled) throw error;
      return false; // the server's error says more than that its list could not be had
    }
  }

  /** Nothing is known where the link does not mirror: nothing was learned there. */
  #mirroredBy({ method, params }: Asking): readonly ParamHeader[] | undefined {
    return this.#tools.of(method, params);
  }

  /** One request on the wire, until it is answered, has taken too long, or nobody waits any more. */
  async #sendOnce(
    { method, params, capabilities, notId }: Asking,
    timeout: number,
    options: RequestOptions,
    mirrored: readonly ParamHeader[] | undefined,
  ): Promise<Answered> {
    const id = this.#nextId(notId);
    const canceller = new Canceller();
    const unfollow = follow(canceller, options.signal, this.#closing);
    const takeBack = this.#clock.after(timeout, () => canceller.cancel(late(method, timeout)));
    const listen = listenTo(id, options);
    try {
      canceller.stopIfCancelled();
      const incoming = await this.#link.send({
        id,
        method,
        params: stamp(params, id, this.#info, capabilities, options),
        mirrored,
        cancellation: canceller,
        onNotification: listen && guarded(listen, canceller),
      });
      canceller.stopIfCancelled(); // a listener may have failed just before the answer
      return this.#judge(id, method, incoming);
    } catch (error) {
      canceller.stopIfCancelled();
      throw error;
    } finally {
      takeBack();
      unfollow();
    }
  }

  #judge(id: number, method: string, incoming: Incoming): Answered {
    if (incoming.kind === "status") return { kind: "status", id, status: incoming.status };
    const answer = classify(incoming.response, { method, extensions: this.#resultTypes });
    switch (answer.kind) {
      case "error":
        return { kind: "error", id, error: new RpcError(answer.code, answer.message, answer.data) };
      case "invalid":
        throw new ParleyError(
          "result_invalid",
          `The server's answer to ${method} is none: ${answer.why}.`,
        );
      case "complete":
        return this.#link.mirrors
          ? { id, kind: "complete", result: this.#tools.learn(method, answer.result) }
          : { id, ...answer };
      default:
        return { id, ...answer };
    }
  }

  #nextId(notId: number | undefined): number {
    this.#lastId += this.#lastId + 1 === notId ? 2 : 1;
    return this.#lastId;
  }
}

/** A listener that throws ends the request it listens to, not the transport. */
function guarded<Arguments extends unknown[]>(
  listen: (...given: Arguments) => void,
  canceller: Canceller,
): (...given: Arguments) => void {
  return (...given) => {
    if (canceller.isCancelled) return;
    try {
      listen(...given);
    } catch (error) {
      canceller.cancel(error);
    }
  };
}

function late(method: string, timeout: number): ParleyError {
  return new ParleyError(
    "timeout",
    `No answer to ${method} within ${Math.ceil(timeout)} ms. Whether the server did what was asked is not known.`,
  );
}

/** The error for an answer that is neither a result nor a round. */
export function failureOf(
  answer: Extract<Answered, { kind: "error" | "status" }>,
  method: string,
): ParleyError {
  if (answer.kind === "error") return answer.error;
  if (answer.status === 401) {
    return new ParleyError(
      "unauthorized",
      `The server wants to know who is calling (status 401 to ${method}): give credentials in headers.authorization.`,
    );
  }
  return new ParleyError(
    "transport_failed",
    `The server answered ${method} with status ${answer.status}.`,
  );
}

/** For a server that speaks other revisions than this client. */
export function unsupported(versions: readonly unknown[], cause?: RpcError): ParleyError {
  const spoken = versions.filter((version) => /^[\w.-]{1,40}$/.test(String(version))).slice(0, 20);
  return new ParleyError(
    "version_unsupported",
    `The server speaks ${spoken.join(", ") || "no revision it names"}; this client speaks ${PROTOCOL_VERSION} only. ` +
      "Update the older of the two.",
    { cause },
  );
}
