/** What the command's exit codes mean. They are part of its interface: docs/command.md. */
export const EXIT = {
  ok: 0,
  /** The call failed, or the tool says so. */
  failed: 1,
  /** The command was not understood: nothing was sent. */
  usage: 2,
  /** A question needs an answer, and there was nobody to give one. */
  answerNeeded: 3,
  /** The user declined or cancelled, and the call ended there. */
  notAccepted: 4,
  /** Interrupted, as by Ctrl-C: 128 + SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The same, as the help tells it. */
export const EXIT_CODES = `
Exit codes:
  0    done
  1    the call failed, or the tool says so
  2    the command was not understood; the tool was not called
  3    a question needs an answer, and there was none that fits
  4    declined or cancelled, and the call ended there
  130  interrupted (Ctrl-C)`;

/** A failure of the command itself: a message for the user, and the code to exit with. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** For what the user typed and could not be meant. */
export function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}
