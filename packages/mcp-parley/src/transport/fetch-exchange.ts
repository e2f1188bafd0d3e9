import type { HeaderReader } from "../auth/authenticate.js";
import type { HeaderFields, HttpAnswer } from "./http-answer.js";
import { type ExchangeStart, HttpExchange } from "./http-exchange.js";
import type { ArrivingHead } from "./http-head.js";
import { MAX_UNREAD_BYTES } from "./sse.js";

/** The head of a web-standard request. */
export class FetchHead implements ArrivingHead {
  readonly #request: Request;
  readonly headers: HeaderReader;
  /** Nothing here tells which connection a request came over. */
  readonly overLoopback = false;

  constructor(request: Request) {
    this.#request = request;
    this.headers = request.headers;
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.url;
  }

  /** The header is what the client sent; some runtimes keep it only in the URL. */
  get host(): string {
    return this.headers.get("host") ?? new URL(this.#request.url).host;
  }
}

/** An exchange that makes a Response. */
export class FetchExchange extends HttpExchange {
  /** Settles with the answer; never rejects. */
  readonly response: Promise<Response>;
  readonly #signal: AbortSignal;
  #respond!: (response: Response) => void;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(start: ExchangeStart, signal: AbortSignal) {
    super(start);
    this.#signal = signal;
    this.response = new Promise((resolve) => (this.#respond = resolve));
  }

  protected override watch(): void {
    const onAbort = (): void => {
      if (!this.abandon()) return;
      this.cut();
      // Nobody is left to see it, but whoever called the handler waits for something.
      this.#respond(new Response(null, { status: CLIENT_CLOSED_REQUEST }));
    };
    if (this.#signal.aborted) onAbort();
    else this.#signal.addEventListener("abort", onAbort, { once: true });
  }

  protected override respond(
    status: number,
    text: string | undefined,
    cors: HeaderFields | undefined,
  ): void {
    this.#respond(toResponse({ status, text }, cors));
  }

  protected override open(headers: HeaderFields): boolean {
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        cancel: () => {
          this.abandon();
        },
      },
      { highWaterMark: MAX_UNREAD_BYTES, size: (piece) => piece.byteLength },
    );
    this.#respond(new Response(stream, { headers }));
    return true;
  }

  protected override write(piece: string): boolean {
    this.#stream?.enqueue(encoder.encode(piece));
    return (this.#stream?.desiredSize ?? 0) > 0;
  }

  protected override close(last: string | undefined): void {
    if (last !== undefined) this.#stream?.enqueue(encoder.encode(last));
    this.#stream?.close();
  }

  protected override cut(): void {
    this.#stream?.error(new Error("The client has gone, or stopped reading"));
  }
}

/** What nginx calls it; no registered status says that the client went first. */
const CLIENT_CLOSED_REQUEST = 499;

const encoder = new TextEncoder();

/** An answer as a Response. */
export function toResponse(answer: HttpAnswer, cors: HeaderFields | undefined): Response {
  const { status, text, headers } = answer;
  const type = text === undefined ? undefined : { "content-type": "application/json" };
  return new Response(text ?? null, { status, headers: { ...type, ...cors, ...headers } });
}
