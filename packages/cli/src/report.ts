import { CommanderError } from "commander";
import { RpcError, isParleyError } from "mcp-parley/client";
import { CommandError, EXIT, type ExitCode } from "./exit.js";
import { manyLines } from "./plain.js";

/** How the command ends after an error: its exit code, and what it says. */
export interface Ending {
  readonly exitCode: ExitCode;
  /** Undefined where it has been said already. */
  readonly message: string | undefined;
}

/** Reads an error, whatever it is. Its message has been made plain. */
export function endingOf(error: unknown): Ending {
  if (error instanceof CommandError) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { exitCode: EXIT.ok, message: undefined };
    // Whatever else commander ends with is about the words it was given.
    const isRefusal = error.code === "commander.error";
    return { exitCode: isRefusal ? EXIT.failed : EXIT.usage, message: undefined };
  }
  if (error instanceof RpcError) return endingOfRpc(error);
  if (isParleyError(error)) {
    const message = manyLines(error.message);
    switch (error.code) {
      case "usage":
        return { exitCode: EXIT.usage, message };
      case "answer_invalid":
      case "answer_missing":
        return { exitCode: EXIT.answerNeeded, message };
      case "aborted":
        // Ctrl-C is the reason, and the one thing worth saying.
        return error.cause === undefined
          ? { exitCode: EXIT.interrupted, message }
          : endingOf(error.cause);
      default:
        return { exitCode: EXIT.failed, message };
    }
  }
  const said = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.failed, message: `Something went wrong: ${manyLines(said)}` };
}

/** An error the server answered with. */
function endingOfRpc({ message, rpcCode, data }: RpcError): Ending {
  const { reason, outcome } = (data ?? {}) as { reason?: unknown; outcome?: unknown };
  const exitCode =
    outcome === "declined" || outcome === "cancelled" ? EXIT.notAccepted : EXIT.failed;
  if (reason === "expired" || reason === "spent") {
    const why = reason === "expired" ? "took too long" : "was answered already";
    return {
      exitCode,
      message: `The call ${why}, and the server let go of it. Call again to start anew.`,
    };
  }
  return { exitCode, message: `The server refused: ${manyLines(message)} (${rpcCode})` };
}
