import { INTERNAL_ERROR, httpStatusOf } from "../protocol/codes.js";
import { type Awaitable, isPromiseLike } from "../protocol/json.js";
import { type RequestId, errorText } from "../protocol/jsonrpc.js";
import type { Dispatcher, Reply, RequestContext } from "../server/context.js";
import type { Principal } from "../state/principal.js";
import type { HeaderReader } from "../auth/authenticate.js";
import { scopeChallenge } from "../auth/challenge.js";
import type { HeaderFields } from "./http-answer.js";
import type { HttpPolicy } from "./http-policy.js";
import type { Accepted } from "./media-type.js";
import { KEEP_ALIVE, STREAM_HEADERS, event } from "./sse.js";
import type { Timers } from "./timers.js";

/** What an exchange is begun with. */
export interface ExchangeStart {
  readonly policy: HttpPolicy;
  readonly principal: Principal | undefined;
  readonly accepted: Accepted;
  readonly cors: HeaderFields | undefined;
  readonly headers: HeaderReader;
  readonly timers: Timers;
}

/**
 * One request from its dispatch to the last byte of its answer, whatever carries the bytes.
 *
 * 1. The answer is one JSON object with the reply's own status, unless a notification was sent
 *    first or the client takes only streams: then it is a stream under 200, ended by the reply.
 * 2. After the reply, or once the client has gone, nothing is written.
 * 3. The signal aborts when the client goes before the reply, and never after it.
 * 4. A client that takes no stream gets no notifications.
 */
export abstract class HttpExchange implements RequestContext {
  readonly principal: Principal | undefined;
  readonly #start: ExchangeStart;
  #phase: "open" | "streaming" | "over" = "open";
  #gone = false;
  #controller: AbortController | undefined;
  #stopKeepAlive: (() => void) | undefined;

  constructor(start: ExchangeStart) {
    this.principal = start.principal;
    this.#start = start;
  }

  header(name: string): string | null {
    return this.#start.headers.get(name);
  }

  challenge(scopes: readonly string[]): string {
    const challenge = this.#start.policy.authenticate?.challenge ?? scopeChallenge;
    const value = challenge(scopes, this.principal !== undefined);
    if (/^[\t\x20-\x7e]*$/.test(value)) return value;
    throw new TypeError("A challenge holds visible ASCII only");
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#gone) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  notify(text: string): void {
    if (this.#phase === "over" || !this.#start.accepted.stream) return;
    if (this.#phase === "open" && !this.#openStream()) return;
    this.#write(event(text));
  }

  /** Hands `message` to the server and its reply to the client. Never throws. */
  run(server: Dispatcher, message: unknown, id: RequestId | undefined): void {
    let reply: Awaitable<Reply | undefined>;
    try {
      reply = server.dispatch(message, this);
    } catch (error) {
      this.#fail(error, id);
      return;
    }
    if (!isPromiseLike(reply)) {
      this.#settle(reply);
      return;
    }
    this.watch();
    reply.then(
      (value) => this.#settle(value),
      (error: unknown) => this.#fail(error, id),
    );
  }

  /** To be called when the client has gone. False where it no longer matters. */
  protected abandon(): boolean {
    if (this.#phase === "over") return false;
    this.#finish();
    this.#gone = true;
    this.#controller?.abort();
    return true;
  }

  /** Called once, where the reply has to be waited for: from here on the client may go first. */
  protected abstract watch(): void;

  /** Sends the whole answer. */
  protected abstract respond(
    status: number,
    text: string | undefined,
    headers: HeaderFields | undefined,
  ): void;

  /** Begins a stream; false where the answer is no longer this exchange's to give. */
  protected abstract open(headers: HeaderFields): boolean;

  /** Sends a piece of the stream; false where the client is too far behind to go on. */
  protected abstract write(piece: string): boolean;

  /** Ends the stream, after `last` where there is one. */
  protected abstract close(last: string | undefined): void;

  /** Ends the stream as a fault, for a client that has stopped reading. */
  protected abstract cut(): void;

  #settle(reply: Reply | undefined): void {
    if (this.#phase === "over") return;
    const { accepted, cors } = this.#start;
    if (this.#phase === "open") {
      if (reply === undefined || accepted.json) {
        this.#finish();
        const headers = reply?.headers === undefined ? cors : { ...cors, ...reply.headers };
        this.respond(reply?.status ?? 202, reply?.text, headers);
        return;
      }
      if (!this.#openStream()) return;
    }
    this.#finish();
    this.close(reply === undefined ? undefined : event(reply.text));
  }

  #fail(error: unknown, id: RequestId | undefined): void {
    this.#start.policy.log.error("The server failed to answer a request", error);
    const text = errorText(id, INTERNAL_ERROR, "Internal error");
    this.#settle({ text, status: httpStatusOf(INTERNAL_ERROR) });
  }

  #openStream(): boolean {
    const { cors, policy, timers } = this.#start;
    if (!this.open(cors === undefined ? STREAM_HEADERS : { ...STREAM_HEADERS, ...cors })) {
      this.abandon();
      return false;
    }
    this.#phase = "streaming";
    this.#stopKeepAlive = timers.every(policy.keepAliveMs, () => this.#write(KEEP_ALIVE));
    return true;
  }

  #write(piece: string): void {
    if (this.write(piece)) return;
    this.abandon();
    this.cut();
  }

  #finish(): void {
    this.#phase = "over";
    this.#stopKeepAlive?.();
  }
}
