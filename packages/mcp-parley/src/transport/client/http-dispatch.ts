import type { Credentials, Incoming, Link, Outgoing } from "../../client/link.js";
import { type Clock, systemClock } from "../../client/clock.js";
import { ParleyError } from "../../protocol/errors.js";
import { closed } from "./closed.js";
import type {
  DispatchController,
  DispatchHandler,
  DispatchOptions,
  Dispatcher,
} from "./dispatcher.js";
import { requestHeaders } from "./headers.js";
import { type HttpLinkOptions, endpoint, httpLink, redirected, unreachable } from "./http.js";
import { Receipt } from "./receipt.js";
import { replyReader } from "./reply.js";

/** HTTP over connections that the host gives. Timeouts are the client's, none the dispatcher's. */
export function dispatchLink(
  given: HttpLinkOptions,
  dispatcher: Dispatcher,
  clock: Clock = systemClock,
): Link {
  const url = endpoint(given.url);
  const { origin } = url;
  const path = url.pathname + url.search;
  let isClosed = false;

  const exchange = (request: Outgoing, own: Credentials["headers"]): Promise<Incoming> =>
    new Promise((resolve, reject) => {
      if (isClosed) throw closed();
      request.cancellation.stopIfCancelled();
      const one = new Exchange(url, given, request, clock, resolve, reject);
      one.whenOver = request.cancellation.onCancel((error) => one.fail(error));
      // Written out: undici reads an object that was spread together at several times the cost.
      const options: DispatchOptions = {
        origin,
        path,
        method: "POST",
        headers: requestHeaders(request, own),
        body: request.text,
        bodyTimeout: 0,
        headersTimeout: 0,
      };
      try {
        dispatcher.dispatch(options, one);
      } catch (cause) {
        one.fail(
          new ParleyError(
            "usage",
            "`dispatcher` is an Agent or Pool of undici, version 7 or later",
            {
              cause,
            },
          ),
        );
      }
    });

  return httpLink(url, given, exchange, () => {
    isClosed = true;
  });
}

class Exchange implements DispatchHandler {
  whenOver: () => void = () => undefined;
  readonly #url: URL;
  readonly #options: HttpLinkOptions;
  readonly #request: Outgoing;
  readonly #clock: Clock;
  readonly #resolve: (answer: Incoming) => void;
  readonly #reject: (error: unknown) => void;
  #controller: DispatchController | undefined;
  #receipt: Receipt | undefined;
  #callOff: (() => void) | undefined;
  #failed = false;

  constructor(
    url: URL,
    options: HttpLinkOptions,
    request: Outgoing,
    clock: Clock,
    resolve: (answer: Incoming) => void,
    reject: (error: unknown) => void,
  ) {
    this.#url = url;
    this.#options = options;
    this.#request = request;
    this.#clock = clock;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  resolve(answer: Incoming): void {
    this.#resolve(answer);
  }

  fail(error: unknown): void {
    this.#failed = true;
    this.#reject(error);
    this.hangUp();
  }

  hangUp(): void {
    this.whenOver();
    this.#controller?.abort(new Error("No longer waited for"));
  }

  resting(callOff: () => void): void {
    this.#callOff = callOff;
  }

  onRequestStart(controller: DispatchController): void {
    this.#controller = controller;
    if (this.#failed) this.hangUp();
  }

  onResponseStart(
    _controller: DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    const named = (name: string): string | undefined => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    };
    this.#options.prover?.heard(named("dpop-nonce"));
    try {
      if (status >= 300 && status < 400) throw redirected(status, named("location"), this.#url);
      const challenge = status < 400 ? undefined : named("www-authenticate");
      const { responseSize } = this.#options;
      const type = named("content-type");
      const reader = replyReader(status, type, this.#request, responseSize, challenge);
      this.#receipt = new Receipt(reader, this, this.#clock);
    } catch (error) {
      this.fail(error);
    }
  }

  onResponseData(_controller: DispatchController, chunk: Uint8Array): void {
    this.#receipt?.feed(chunk);
  }

  onResponseEnd(): void {
    this.#over();
    this.#receipt?.end();
  }

  onResponseError(_controller: DispatchController, error: Error): void {
    this.#over();
    if (!this.#failed) this.#reject(unreachable(this.#url, error));
  }

  #over(): void {
    this.whenOver();
    this.#callOff?.();
  }
}
