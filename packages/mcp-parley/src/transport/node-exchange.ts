import type { IncomingMessage, ServerResponse } from "node:http";
import type { ArrivingHead } from "./http-head.js";
import { isLoopbackAddress } from "./hosts.js";
import type { HeaderFields, HttpAnswer } from "./http-answer.js";
import { type ExchangeStart, HttpExchange } from "./http-exchange.js";
import { MAX_UNREAD_BYTES } from "./sse.js";

/** The head of a request of `node:http`, or of `node:http2` in its compatible form. */
export class NodeHead implements ArrivingHead {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method ?? "";
  }

  get url(): string {
    return this.#request.url ?? "";
  }

  get headers(): this {
    return this;
  }

  get(name: string): string | null {
    const value: unknown = this.#request.headers[name.toLowerCase()];
    if (typeof value === "string") return value;
    return Array.isArray(value) ? value.join(", ") : null;
  }

  get host(): string | null {
    return this.get("host") ?? this.get(":authority");
  }

  get overLoopback(): boolean {
    return isLoopbackAddress(this.#request.socket.localAddress);
  }

  /**
   * True where a field that may occur once occurs again. `node:http` would keep the first or join
   * them; what stands before this server may have gone by another.
   */
  get isAmbiguous(): boolean {
    const { rawHeaders } = this.#request;
    let seen = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const bit = SINGLE.get(rawHeaders[i]?.toLowerCase() ?? "") ?? 0;
      if ((seen & bit) !== 0) return true;
      seen |= bit;
    }
    return false;
  }
}

const SINGLE: ReadonlyMap<string, number> = new Map(
  ["host", "authorization", "content-type", "mcp-name"].map((name, i) => [name, 1 << i]),
);

/** An exchange over a response of `node:http`. */
export class NodeExchange extends HttpExchange {
  readonly #response: ServerResponse;

  constructor(start: ExchangeStart, response: ServerResponse) {
    super(start);
    this.#response = response;
  }

  protected override watch(): void {
    if (this.#response.destroyed) this.abandon();
    else this.#response.on("close", () => this.abandon());
  }

  protected override respond(
    status: number,
    text: string | undefined,
    cors: HeaderFields | undefined,
  ): void {
    send(this.#response, status, text, cors);
  }

  protected override open(headers: HeaderFields): boolean {
    if (isTaken(this.#response)) return false;
    this.#response.writeHead(200, headers);
    return true;
  }

  protected override write(piece: string): boolean {
    return this.#response.write(piece) || this.#response.writableLength <= MAX_UNREAD_BYTES;
  }

  protected override close(last: string | undefined): void {
    this.#response.end(last);
  }

  protected override cut(): void {
    this.#response.destroy();
  }
}

/** Sends an answer that no exchange was begun for. */
export function sendAnswer(
  response: ServerResponse,
  answer: HttpAnswer,
  cors: HeaderFields | undefined,
): void {
  send(response, answer.status, answer.text, { ...cors, ...answer.headers });
}

/** True where the client has gone, or something else has answered, such as a time-out of a framework's. */
function isTaken(response: ServerResponse): boolean {
  return response.headersSent || response.destroyed;
}

/** One head and one body, in one write. */
function send(
  response: ServerResponse,
  status: number,
  text: string | undefined,
  extra: HeaderFields | undefined,
): void {
  if (isTaken(response)) return;
  const headers: Record<string, string | number> =
    text === undefined
      ? status === 204
        ? {}
        : { "content-length": 0 }
      : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  response.writeHead(status, extra === undefined ? headers : Object.assign(headers, extra));
  response.end(text);
}
