import { ByteCollector } from "../protocol/byte-collector.js";

const NEWLINE = 0x0a;

/** What a {@link LineSplitter} finds. */
export interface LineEnds {
  /** One line, without its newline. */
  line(line: Uint8Array): void;
  /** A line longer than the limit, told once, as soon as it is known. Its bytes are dropped. */
  tooLong(): void;
}

/**
 * Cuts a stream of bytes into lines, whatever pieces it comes in. A newline is never part of a
 * character in UTF-8, so a character split between two pieces comes out whole.
 *
 * 1. No more than `limit` bytes of one line are ever held.
 * 2. After a line that was too long, the next newline begins a line like any other.
 */
export class LineSplitter {
  readonly #limit: number;
  readonly #ends: LineEnds;
  readonly #held = new ByteCollector();
  #skipping = false;

  /** `limit` in bytes, the newline not counted. */
  constructor(limit: number, ends: LineEnds) {
    this.#limit = limit;
    this.#ends = ends;
  }

  /** Takes the next piece of the stream. */
  push(piece: Uint8Array): void {
    let from = 0;
    for (let to = piece.indexOf(NEWLINE); to !== -1; to = piece.indexOf(NEWLINE, from)) {
      this.#hold(piece.subarray(from, to));
      this.#cut();
      from = to + 1;
    }
    if (from < piece.length) this.#hold(piece.subarray(from));
  }

  /** The stream has ended: what is left of it is a line. */
  end(): void {
    if (this.#held.size > 0) this.#cut();
  }

  #hold(part: Uint8Array): void {
    if (this.#skipping) return;
    if (this.#held.size + part.length > this.#limit) {
      this.#skipping = true;
      this.#held.take();
      this.#ends.tooLong();
    } else this.#held.add(part);
  }

  #cut(): void {
    const line = this.#held.take();
    if (this.#skipping) this.#skipping = false;
    else this.#ends.line(line);
  }
}
