import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import * as clack from "@clack/prompts";
import { wrapAnsi } from "fast-wrap-ansi";
import { interrupted } from "./interrupt.js";
import type { NotesStream } from "./notes.js";
import { type Paint, paintFor } from "./style.js";

/** What a prompt gives when the user left it with Escape. */
export const LEFT = Symbol("left");
export type Left = typeof LEFT;

/** One of several things to choose. */
export interface Option<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** How long input that was typed ahead is waited for, in ms: it is there already. */
const FORGETTING_MS = 30;
const CTRL_C = 0x03;

/** Where a person types. */
export type KeyStream = Readable & { setRawMode?: (isRaw: boolean) => unknown };

/** From so many options on, typing searches them. */
const MANY = 12;

/**
 * A conversation with the person at the terminal.
 *
 * 1. Whatever is said here has been made plain before; what is typed goes back as it was typed.
 * 2. Every line stands behind the guide at the left edge, so that no server's text can look like a
 *    prompt of ours.
 * 3. Escape leaves one prompt; Ctrl-C ends the command, and no prompt gives a value after it.
 */
export class Dialog {
  readonly paint: Paint;
  readonly #input: KeyStream;
  readonly #output: NotesStream;
  readonly #interrupt: AbortController;

  constructor(input: KeyStream, output: NotesStream, interrupt: AbortController) {
    this.#input = input;
    this.#output = output;
    this.#interrupt = interrupt;
    this.paint = paintFor(output);
  }

  /** Begins a question. What was typed before it was there to be read does not count as its answer. */
  async open(title: string): Promise<void> {
    await this.#forgetInput();
    this.#output.write("\n");
    clack.intro(this.#wrapped(title), this.#common);
  }

  /** Says something of several lines. */
  say(text: string): void {
    clack.log.message(this.#wrapped(text).split("\n"), { ...this.#common, spacing: 0 });
  }

  /** An empty line. */
  space(): void {
    this.say("");
  }

  /** Says what to be careful about. */
  warn(text: string): void {
    clack.log.warn(this.#wrapped(text), { ...this.#common, spacing: 0 });
  }

  /** Ends a question with what became of it. */
  close(outcome: string): void {
    clack.outro(this.#wrapped(outcome), this.#common);
  }

  /** Asks for one line of text. `check` says what is wrong with it. */
  async text(
    label: string,
    initial: string,
    check: (text: string) => string | undefined,
    signal: AbortSignal,
  ): Promise<string | Left> {
    return this.#ask<string>(signal, (common) =>
      clack.text({
        ...common,
        message: this.#guided(label),
        initialValue: initial,
        validate: (text = "") => check(text),
      }),
    );
  }

  /** Asks for one of several things. */
  async choose<Value>(
    label: string,
    options: readonly Option<Value>[],
    initial: Value | undefined,
    signal: AbortSignal,
  ): Promise<Value | Left> {
    const at = options.findIndex(({ value }) => value === initial);
    const chosen = await this.#ask<number>(signal, (common) => {
      const settings = {
        ...common,
        message: label,
        options: numbered(options),
        ...(at !== -1 && { initialValue: at }),
      };
      return options.length >= MANY ? clack.autocomplete<number>(settings) : clack.select(settings);
    });
    const option = chosen === LEFT ? undefined : options[chosen];
    return option === undefined ? LEFT : option.value;
  }

  /** Asks for any number of several things. */
  async chooseSeveral<Value>(
    label: string,
    options: readonly Option<Value>[],
    initial: readonly Value[],
    signal: AbortSignal,
  ): Promise<Value[] | Left> {
    const chosen = await this.#ask<number[]>(signal, (common) => {
      const settings = {
        ...common,
        message: label,
        required: false,
        options: numbered(options),
        initialValues: options.flatMap(({ value }, at) => (initial.includes(value) ? [at] : [])),
      };
      return options.length >= MANY
        ? clack.autocompleteMultiselect<number>(settings)
        : clack.multiselect(settings);
    });
    if (chosen === LEFT) return LEFT;
    return options.flatMap(({ value }, at) => (chosen.includes(at) ? [value] : []));
  }

  async #forgetInput(): Promise<void> {
    const onData = (data: Buffer): void => {
      if (data.includes(CTRL_C)) this.#interrupt.abort(interrupted());
    };
    this.#input.setRawMode?.(true);
    this.#input.on("data", onData);
    await setTimeout(FORGETTING_MS);
    this.#input.off("data", onData);
    this.#input.pause();
    this.#input.setRawMode?.(false);
    this.#interrupt.signal.throwIfAborted();
  }

  get #common(): { input: KeyStream; output: NotesStream } {
    return { input: this.#input, output: this.#output };
  }

  async #ask<Value>(
    signal: AbortSignal,
    prompt: (common: clack.CommonOptions) => Promise<Value | symbol>,
  ): Promise<Value | Left> {
    signal.throwIfAborted();
    const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } | undefined): void => {
      if (key?.ctrl === true && key.name === "c") this.#interrupt.abort(interrupted());
    };
    this.#input.on("keypress", onKey);
    try {
      // A signal of its own for each prompt: prompts never stop listening to the one they get.
      const answer = await prompt({ ...this.#common, signal: AbortSignal.any([signal]) });
      signal.throwIfAborted();
      return clack.isCancel(answer) || typeof answer === "symbol" ? LEFT : answer;
    } finally {
      this.#input.off("keypress", onKey);
    }
  }

  #wrapped(text: string): string {
    const room = Math.max(20, (this.#output.columns ?? 80) - 3);
    return wrapAnsi(text, room, { hard: true, trim: false });
  }

  /** For prompts that do not wrap by themselves. */
  #guided(text: string): string {
    return this.#wrapped(text).replaceAll("\n", `\n${this.paint("gray", clack.S_BAR)}  `);
  }
}

/** Options under their numbers: the prompts compare values, and ours may be anything. */
function numbered<Value>(
  options: readonly Option<Value>[],
): { value: number; label: string; hint?: string }[] {
  return options.map(({ label, hint }, value) => ({
    value,
    label,
    ...(hint !== undefined && { hint }),
  }));
}
