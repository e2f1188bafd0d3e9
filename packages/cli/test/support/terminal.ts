import { createRequire } from "node:module";
import type { IPty } from "@lydell/node-pty";
import type { Terminal as Screen } from "@xterm/headless";
import { PARLEY } from "./command.js";

const require = createRequire(import.meta.url);
const { Terminal } = require("@xterm/headless") as typeof import("@xterm/headless");

export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  down: "\u001b[B",
  up: "\u001b[A",
  space: " ",
  backspace: "\u007f",
  interrupt: "\u0003",
} as const;

/** The pseudo-terminal, or undefined where it has no build for this machine. */
function pty(): typeof import("@lydell/node-pty") | undefined {
  try {
    return require("@lydell/node-pty") as typeof import("@lydell/node-pty");
  } catch {
    return undefined;
  }
}

export const hasTerminal = pty() !== undefined;

/** By these Node would show colours or none, whatever the terminal: they are for the tests' own. */
const COLOUR_WISHES = ["CI", "FORCE_COLOR", "NODE_DISABLE_COLORS", "NO_COLOR"];

function terminalEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !COLOUR_WISHES.includes(name));
  return { ...Object.fromEntries(kept), TERM: "xterm-256color", ...more };
}

/** A program at a real terminal, whose screen is read as a person would. */
export class TerminalSession {
  /** Everything that was written to the terminal, escape sequences and all. */
  written = "";
  /** How the command ended, once the screen shows all it has written. */
  readonly exit: Promise<number>;
  readonly #pty: IPty;
  readonly #screen: Screen;
  readonly #waiting = new Set<() => void>();

  constructor(args: readonly string[], env: Record<string, string> = {}, columns = 100) {
    const size = { cols: columns, rows: 60 };
    this.#screen = new Terminal({ ...size, allowProposedApi: true, scrollback: 0 });
    const spawned = pty()?.spawn(process.execPath, [...args], {
      ...size,
      name: "xterm-256color",
      env: terminalEnvironment(env),
    });
    if (spawned === undefined) throw new Error("There is no pseudo-terminal here");
    this.#pty = spawned;
    spawned.onData((data) => {
      this.written += data;
      this.#screen.write(data, () => {
        for (const check of this.#waiting) check();
      });
    });
    this.exit = new Promise((resolve) =>
      spawned.onExit(({ exitCode }) => this.#screen.write("", () => resolve(exitCode))),
    );
  }

  /** What the screen shows. */
  get screen(): string {
    const { active } = this.#screen.buffer;
    const lines = Array.from(
      { length: this.#screen.rows },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    );
    return lines.join("\n").trimEnd();
  }

  /** Waits until the screen shows something. */
  async until(expected: string | RegExp): Promise<void> {
    const shows = (): boolean =>
      typeof expected === "string" ? this.screen.includes(expected) : expected.test(this.screen);
    if (shows()) return;
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (!shows()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      void this.exit.then((code) => {
        check();
        reject(new Error(`Ended (${code}) without ${String(expected)}:\n${this.screen}`));
      });
    });
  }

  /** Types, once the screen shows something. */
  async type(at: string | RegExp, ...keys: readonly string[]): Promise<void> {
    await this.until(at);
    for (const key of keys) this.#pty.write(key);
  }
}

/** The command at a terminal. */
export function parleyAtTerminal(
  args: readonly string[],
  env: Record<string, string> = {},
): TerminalSession {
  return new TerminalSession([PARLEY, ...args], env);
}
