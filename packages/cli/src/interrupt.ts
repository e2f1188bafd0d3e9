import { CommandError, EXIT } from "./exit.js";

/** What the command ends with when the user interrupts it. */
export function interrupted(): CommandError {
  return new CommandError(EXIT.interrupted, "Interrupted.");
}

/**
 * Aborts `controller` at the first SIGINT, so that requests are cancelled and processes ended; the
 * second ends this process at once. The function it gives stops listening.
 */
export function heedInterrupts(controller: AbortController): () => void {
  const onInterrupt = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort(interrupted());
  };
  process.on("SIGINT", onInterrupt);
  return () => void process.off("SIGINT", onInterrupt);
}
