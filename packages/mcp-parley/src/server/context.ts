import type { Awaitable } from "../protocol/json.js";
import type { Principal } from "../state/principal.js";

/** What a transport knows of one request and the way back to its client. */
export interface RequestContext {
  /** Who is calling, verified by the transport's authentication; undefined is anonymous. */
  readonly principal: Principal | undefined;
  /** Aborts when the client has gone or cancelled. Implementations create it on first use. */
  readonly signal: AbortSignal;
  /** Reads one header of the request; null where it has none. Undefined on transports without headers. */
  readonly header?: (name: string) => string | null;
  /** The `WWW-Authenticate` of a refusal for want of `scopes`. Undefined on transports without headers. */
  readonly challenge?: (scopes: readonly string[]) => string;
  /**
   * Sends one notification, as JSON-RPC text, on this request's own stream. After the reply it
   * does nothing.
   */
  notify(text: string): void;
}

/** The answer to one request: the whole JSON-RPC response as text, on one line. */
export interface Reply {
  readonly text: string;
  /** The HTTP status it travels with. */
  readonly status: number;
  /** HTTP headers it travels with besides. Names are lower-case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a transport needs of a server. */
export interface Dispatcher {
  /**
   * Answers one request. `message` is parsed JSON from {@link parseJson} and nothing more is
   * assumed of it; a notification gives undefined. Never throws, never rejects.
   */
  dispatch(message: unknown, context: RequestContext): Awaitable<Reply | undefined>;
  /** Ends what would not end by itself, such as subscriptions, when the transport closes. */
  drain?(): void;
}
