import type { Awaitable } from "../protocol/json.js";
import type { ParamHeader } from "../protocol/param-headers.js";
import type { Cancellation } from "./cancel.js";

/** What a link sends with a request, beside the message, to show who is calling. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
}

/** One request as a client hands it to its transport. */
export interface Outgoing {
  readonly id: number;
  readonly method: string;
  /** What was asked for, which a link may have to repeat beside the message. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The whole message as JSON text, ready to send. */
  readonly text: string;
  /** The arguments of a tool call that travel in headers, too, where the link mirrors. */
  readonly mirrored?: readonly ParamHeader[] | undefined;
  /** What {@link Link.credentials} gave for this request; where absent, the link finds it itself. */
  readonly credentials?: Credentials | undefined;
  /** Says when nobody waits for the answer any more: the transport then cancels the request. */
  readonly cancellation: Cancellation;
  /** Called for each notification that may concern this request: where the channel is shared, not all do. */
  readonly onNotification:
    ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** What came back for a request; a `challenge` is the `WWW-Authenticate` of a 401 or 403. */
export type Incoming =
  /** A JSON-RPC response with the request's id, or an error without one. */
  | {
      kind: "response";
      response: Readonly<Record<string, unknown>>;
      challenge?: string | undefined;
    }
  /** HTTP's own answer: a status that says no, and nothing of JSON-RPC in the body. */
  | { kind: "status"; status: number; challenge?: string | undefined };

/**
 * What a client needs of a transport.
 *
 * 1. A request is put on the wire once: nothing is repeated behind the client's back.
 * 2. A request that arrives from the server is never served.
 */
export interface Link {
  /** Where the server is, as this side knows it: a URL, or a command line. */
  readonly address: string;
  /** Whether requests carry headers that mirror their bodies. */
  readonly mirrors: boolean;
  /**
   * Who the next request will speak for. Absent where that never changes, and where nobody else can
   * reach the same server, as with a process of the client's own.
   */
  credentials?(): Awaitable<Credentials>;
  /**
   * Sends one request. Rejects with `transport_failed` when no answer came, with `result_invalid`
   * when what came is no answer to it, and with anything once it is cancelled.
   */
  send(request: Outgoing): Promise<Incoming>;
  /**
   * Lets go of connections or the process, and takes no more requests. Those under way have been
   * cancelled before: the link need not know of them.
   */
  close(): Promise<void>;
}
