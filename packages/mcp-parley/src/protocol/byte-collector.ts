/**
 * Collects bytes that come in pieces. What comes in one piece is not copied; more are copied into one
 * buffer that doubles, so that a body sent byte by byte costs no more memory than twice its size.
 */
export class ByteCollector {
  #whole: Uint8Array = EMPTY;
  #size = 0;
  #owned = false;

  /** How many bytes are held. */
  get size(): number {
    return this.#size;
  }

  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (this.#size === 0) {
      this.#whole = piece;
      this.#owned = false;
    } else {
      if (!this.#owned || size > this.#whole.length) this.#grow(size);
      this.#whole.set(piece, this.#size);
    }
    this.#size = size;
  }

  /** Everything added since the last time, and begins anew. */
  take(): Uint8Array {
    const whole = this.#whole;
    const bytes = this.#size === whole.length ? whole : whole.subarray(0, this.#size);
    this.#whole = EMPTY;
    this.#size = 0;
    return bytes;
  }

  #grow(least: number): void {
    const bigger = new Uint8Array(Math.max(least, this.#size * 2));
    bigger.set(this.#whole.subarray(0, this.#size));
    this.#whole = bigger;
    this.#owned = true;
  }
}

const EMPTY = new Uint8Array();
