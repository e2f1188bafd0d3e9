import type { Writable } from "node:stream";
import { manyLines, oneLine } from "./plain.js";
import { type Paint, paintFor } from "./style.js";

/** The output for everything but results: standard error. */
export type NotesStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?: () => boolean;
};

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** A wait that is shorter shows nothing: a line that only flashes tells nobody anything. */
const PATIENCE_MS = 300;

const CLEAR_LINE = "\r\x1b[2K";

/**
 * Writes what the command has to say besides its result. In a terminal the last line may be a status
 * that changes; it is out of the way before anything else is written.
 */
export class Notes {
  readonly paint: Paint;
  readonly #stream: NotesStream;
  #status: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #isDrawn = false;

  constructor(stream: NotesStream) {
    this.#stream = stream;
    this.paint = paintFor(stream);
  }

  /** Writes lines. What a server said in them has been made plain by whoever composed them. */
  line(text: string): void {
    this.#wipe();
    this.#stream.write(`${text}\n`);
  }

  /** Writes text as it came from a server, each line marked. */
  quoted(mark: string, text: string): void {
    for (const line of manyLines(text).split("\n")) {
      this.line(this.paint("dim", `${mark}${line}`));
    }
  }

  /** Shows what is being waited for, in a terminal, until it is set anew or cleared. */
  status(text: string): void {
    if (this.#stream.isTTY !== true) return;
    this.#status = oneLine(text);
    this.#timer ??= setTimeout(() => this.#turn(), PATIENCE_MS).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#status = undefined;
    this.#wipe();
  }

  #turn(): void {
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const room = (this.#stream.columns ?? 80) - 1;
    const text = `${FRAMES[this.#frame] ?? ""} ${this.#status ?? ""}`.slice(0, room);
    this.#stream.write(`${CLEAR_LINE}${this.paint("dim", text)}`);
    this.#isDrawn = true;
    this.#timer = setTimeout(() => this.#turn(), FRAME_MS).unref();
  }

  #wipe(): void {
    if (!this.#isDrawn) return;
    this.#stream.write(CLEAR_LINE);
    this.#isDrawn = false;
  }
}
