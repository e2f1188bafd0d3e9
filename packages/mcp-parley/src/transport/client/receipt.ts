import type { Clock } from "../../client/clock.js";
import type { Incoming } from "../../client/link.js";
import type { ReplyReader } from "./reply.js";
import { inTurn } from "../in-turn.js";

/** How long a stream may stay open once its response is there, in milliseconds. */
const REST = 1_000;

/** Whoever waits for an answer, and the connection that it comes over. */
export interface Receiver {
  resolve(answer: Incoming): void;
  fail(error: unknown): void;
  hangUp(): void;
  /** Called once a stream is only waited out: `callOff` is for when it has closed by itself. */
  resting(callOff: () => void): void;
}

/** Reads a reply to its end: a connection whose last reply was read whole is used again. */
export class Receipt {
  readonly #reader: ReplyReader;
  readonly #to: Receiver;
  readonly #clock: Clock;
  #callOff: (() => void) | undefined;

  constructor(reader: ReplyReader, to: Receiver, clock: Clock) {
    this.#reader = reader;
    this.#to = to;
    this.#clock = clock;
  }

  feed(chunk: Uint8Array): void {
    if (this.#callOff !== undefined) return;
    try {
      const answer = this.#reader.feed(chunk);
      if (answer === undefined) return;
      this.#to.resolve(answer);
      this.#callOff = this.#clock.after(REST, () => this.#to.hangUp());
      this.#to.resting(this.#callOff);
    } catch (error) {
      this.#to.fail(error);
    }
  }

  end(): void {
    if (this.#callOff === undefined) inTurn(() => this.#finish());
  }

  #finish(): void {
    try {
      this.#to.resolve(this.#reader.end());
    } catch (error) {
      this.#to.fail(error);
    }
  }
}
