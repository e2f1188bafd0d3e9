import type { Awaitable } from "../protocol/json.js";
import type { Cancellation } from "./cancel.js";
import type { Link } from "./link.js";
import type { Answered, Asking, SendOptions, Sender } from "./sending.js";

/** A server's refusal of a request for want of authorization. */
export interface Refused {
  /** 401: authorization is missing or no longer good. 403: it does not go far enough. */
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header, as it came. */
  readonly challenge: string | undefined;
  /** The `authorization` header the request was sent with. */
  readonly sent: string | undefined;
  /** What was refused, such as `tools/call`. */
  readonly method: string;
  /** How often this request has been refused by now, this time included. */
  readonly times: number;
  /** Aborts when nobody waits for this request any more. */
  readonly signal: AbortSignal;
}

/** What shows one server who is calling, and finds out how to when it is refused. */
export interface Access {
  /** The headers for the next request; nothing where none is known to be needed. */
  headers(): Awaitable<Readonly<Record<string, string>>>;
  /**
   * Called when a request was refused. True once the same request may be sent again, false where
   * nothing more can be done; rejects where it was tried and failed.
   */
  refused(refused: Refused): Promise<boolean>;
  /** Present where tokens are bound to a key of the client's. */
  readonly prover?: Prover | undefined;
}

/** Proves with each request that who shows a token holds the key it is bound to: DPoP, RFC 9449. */
export interface Prover {
  /** The headers of one request with their proof: called as it is sent, for a proof is good once. */
  prove(headers: Awaitable<Readonly<Record<string, string>>>): Promise<Record<string, string>>;
  /** Called with each response's `DPoP-Nonce` header: proofs have the last one in them. */
  heard(nonce: string | string[] | null | undefined): void;
}

/** How a client gets authorized at servers over HTTP: made by `mcp-parley/client/auth`. */
export interface Authorization {
  /** The access to the server at this endpoint: the same one whenever it is asked for. */
  accessTo(endpoint: string): Access;
}

/** How often one request may be refused before its refusal stands: specification, "a few times". */
export const MAX_REFUSALS = 4;

/**
 * Has refused requests authorized and sends them again.
 *
 * 1. A request is repeated only after a refusal that says it was not carried out: 401, or 403 with
 *    `insufficient_scope`.
 * 2. A request is refused {@link MAX_REFUSALS} times at most; then the last refusal is its answer.
 * 3. The time authorization takes, a person's included, is not the request's.
 *
 * Specification: basic/authorization, Step-Up Authorization Flow.
 */
export class AuthorizedSender implements Sender {
  readonly #sender: Sender;
  readonly #access: Access;
  readonly #link: Link;
  readonly #closing: Cancellation;

  constructor(sender: Sender, access: Access, link: Link, closing: Cancellation) {
    this.#sender = sender;
    this.#access = access;
    this.#link = link;
    this.#closing = closing;
  }

  async send(asking: Asking, timeout: number, options: SendOptions): Promise<Answered> {
    for (let times = 1; ; times += 1) {
      const credentials = await this.#link.credentials?.();
      const answer = await this.#sender.send(asking, timeout, { ...options, credentials });
      const refusal = refusalIn(answer);
      if (refusal === undefined || times === MAX_REFUSALS) return answer;
      const refused = {
        ...refusal,
        sent: credentials?.headers["authorization"],
        method: asking.method,
        times,
        signal: this.#signal(options.signal),
      };
      if (!(await this.#access.refused(refused))) return answer;
    }
  }

  #signal(own: AbortSignal | undefined): AbortSignal {
    const { signal } = this.#closing;
    return own === undefined ? signal : AbortSignal.any([own, signal]);
  }
}

function refusalIn(answer: Answered): Pick<Refused, "status" | "challenge"> | undefined {
  if (answer.kind !== "status" && answer.kind !== "error") return undefined;
  const { challenge } = answer;
  if (answer.kind === "status" && answer.status === 401) return { status: 401, challenge };
  return challenge === undefined ? undefined : { status: 403, challenge };
}
