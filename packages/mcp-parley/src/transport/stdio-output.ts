import type { Writable } from "node:stream";
import { MAX_UNREAD_BYTES } from "./sse.js";

/** What a {@link StdioOutput} tells. */
export interface OutputEnds {
  /** The client reads more slowly than it is written to; stop taking requests. */
  full(): void;
  /** It has caught up. */
  drained(): void;
  /** Nothing can be written any more. */
  broken(): void;
}

/** Writes messages, one a line. */
export class StdioOutput {
  readonly #stream: Writable;
  readonly #ends: OutputEnds;
  #isBroken = false;

  constructor(stream: Writable, ends: OutputEnds) {
    this.#stream = stream;
    this.#ends = ends;
    stream.on("drain", () => ends.drained());
    stream.on("error", () => this.#break());
    stream.on("close", () => this.#break());
  }

  /** Sends one message, which has no line break in it. */
  send(text: string): void {
    if (this.#isBroken) return;
    if (!this.#stream.write(`${text}\n`)) this.#ends.full();
  }

  /** Sends a message the client can do without, unless it has stopped reading. */
  sendUnlessBehind(text: string): void {
    if (this.#stream.writableLength <= MAX_UNREAD_BYTES) this.send(text);
  }

  /** Settles once everything sent so far has left this process, or can't. */
  flushed(): Promise<void> {
    if (this.#isBroken) return Promise.resolve();
    return new Promise((resolve) => this.#stream.write("", () => resolve()));
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#ends.broken();
  }
}
