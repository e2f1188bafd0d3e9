import { classify } from "../protocol/classify.js";
import { HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION } from "../protocol/codes.js";
import { ParleyError, RpcError, isParleyError } from "../protocol/errors.js";
import type { Implementation } from "../protocol/features.js";
import { isObject } from "../protocol/json.js";
import { PROTOCOL_VERSION, TOOLS_CALL, TOOLS_LIST, isRead } from "../protocol/methods.js";
import type { ParamHeader } from "../protocol/param-headers.js";
import { Allowance } from "./allowance.js";
import { type Cancellation, Canceller, follow } from "./cancel.js";
import type { Clock } from "./clock.js";
import { Deadline } from "./deadline.js";
import { Envelopes } from "./envelope.js";
import { late, unsupported } from "./failures.js";
import { dropUnsafeIcons } from "./icons.js";
import type { Incoming, Link, Outgoing } from "./link.js";
import { listenTo } from "./listeners.js";
import { listUntil } from "./list-until.js";
import { isHungUp } from "./platform-code.js";
import type { Answered, Asking, SendOptions, Sender } from "./sending.js";
import { type ToolHeaders, sendsSame } from "./tool-headers.js";

/** What requests are sent with. */
export interface RequestsParts {
  readonly link: Link;
  readonly info: Implementation;
  /** Those of the extensions the client declares. */
  readonly resultTypes: readonly string[];
  /** Cancelled when the client closes. */
  readonly closing: Cancellation;
  readonly clock: Clock;
  readonly tools: ToolHeaders;
  /** Called when the server turns out to want other headers than its list of tools has said. */
  readonly onToolsStale: () => void;
}

/** Numbers requests, stamps them, sends them, and says what each came to. */
export class Requests implements Sender {
  readonly #parts: RequestsParts;
  readonly #resultTypes: ReadonlySet<string>;
  readonly #envelopes: Envelopes;
  #lastId = 0;

  constructor(parts: RequestsParts) {
    this.#parts = parts;
    this.#resultTypes = new Set(parts.resultTypes);
    this.#envelopes = new Envelopes(parts.info);
  }

  /**
   * Asks the server. It is asked once more, under a new id, where it refused the revision and yet
   * lists it (basic/versioning, Protocol Version Negotiation), where it missed headers that its
   * tools, listed anew, turn out to want (basic/transports/streamable-http, Client Behavior), and
   * where it hung up on a request that only reads.
   */
  async send(asking: Asking, timeout: number, options: SendOptions): Promise<Answered> {
    const mirrored = this.#mirroredBy(asking);
    const sendOnce = () => this.#sendOnce(asking, timeout, options, mirrored);
    const first = await (isRead(asking.method) ? onceMoreIfHungUp(sendOnce) : sendOnce());
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
    return sendOnce();
  }

  /** Lists the tools anew and says whether the call's now mirrors something else than was sent. */
  async #listsOtherwise(
    asking: Asking,
    sent: readonly ParamHeader[] | undefined,
    timeout: number,
    { signal, credentials }: SendOptions,
  ): Promise<boolean> {
    const { link, clock, closing, onToolsStale } = this.#parts;
    if (!link.mirrors || asking.method !== TOOLS_CALL) return false;
    onToolsStale();
    const { capabilities } = asking;
    const time = new Allowance(timeout, clock);
    const read = async (params: Asking["params"]): Promise<Record<string, unknown>> => {
      const listing = { method: TOOLS_LIST, params, capabilities };
      const send = () => this.#sendOnce(listing, time.left, { signal, credentials }, undefined);
      const answer = await time.spend(send);
      return answer.kind === "complete" ? answer.result : {};
    };
    try {
      return await listUntil(read, () => !sendsSame(this.#mirroredBy(asking), sent));
    } catch (error) {
      if (signal?.aborted === true || closing.isCancelled) throw error;
      return false; // the server's error says more than that its list could not be had
    }
  }

  /** Nothing is known where the link does not mirror: nothing was learned there. */
  #mirroredBy({ method, params }: Asking): readonly ParamHeader[] | undefined {
    return this.#parts.tools.of(method, params);
  }

  /** One request on the wire, until it is answered, has taken too long, or nobody waits any more. */
  async #sendOnce(
    asking: Asking,
    timeout: number,
    options: SendOptions,
    mirrored: readonly ParamHeader[] | undefined,
  ): Promise<Answered> {
    const { link, closing, clock } = this.#parts;
    const { method, params } = asking;
    const id = this.#nextId(asking.notId);
    const canceller = new Canceller();
    const unfollow = follow(canceller, options.signal, closing);
    const { maxTotalTimeout = Infinity } = options;
    const deadline = new Deadline(clock, timeout, maxTotalTimeout, (ms) =>
      canceller.cancel(late(method, ms)),
    );
    const listen = listenerOf(id, options, deadline);
    try {
      canceller.stopIfCancelled();
      const incoming = await link.send({
        id,
        method,
        params,
        text: this.#envelopes.text(asking, id, options),
        mirrored,
        credentials: options.credentials,
        cancellation: canceller,
        onNotification: listen && guarded(listen, canceller),
      });
      canceller.stopIfCancelled(); // a listener may have failed just before the answer
      return this.#judge(id, method, incoming);
    } catch (error) {
      canceller.stopIfCancelled();
      throw error;
    } finally {
      deadline.stop();
      unfollow();
    }
  }

  #judge(id: number, method: string, incoming: Incoming): Answered {
    if (incoming.kind === "status") return { ...incoming, id };
    const answer = classify(incoming.response, { method, extensions: this.#resultTypes });
    switch (answer.kind) {
      case "error":
        return {
          kind: "error",
          id,
          error: new RpcError(answer.code, answer.message, answer.data),
          challenge: incoming.challenge,
        };
      case "invalid":
        throw new ParleyError(
          "result_invalid",
          `The server's answer to ${method} is none: ${answer.why}.`,
        );
      case "complete":
        dropUnsafeIcons(method, answer.result);
        return this.#parts.link.mirrors
          ? { id, kind: "complete", result: this.#parts.tools.learn(method, answer.result) }
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

async function onceMoreIfHungUp<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (isParleyError(error, "transport_failed") && isHungUp(error.cause)) return send();
    throw error;
  }
}

/** Everything that listens to one request; undefined where nothing does. */
function listenerOf(
  id: number,
  options: SendOptions,
  deadline: Deadline,
): Outgoing["onNotification"] {
  const { onNotification } = options;
  if (onNotification !== undefined) return (method, params) => onNotification(id, method, params);
  const onAdvance = options.resetTimeoutOnProgress === true ? () => deadline.renew() : undefined;
  return listenTo(id, options, onAdvance);
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
