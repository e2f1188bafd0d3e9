import { inspect } from "node:util";
import { createProgram } from "./program.js";
import type { ExitCode } from "./exit.js";
import { manyLines } from "./plain.js";
import { endingOf } from "./report.js";
import { splitCommand } from "./target.js";

// A reader that stops reading, as `head` does, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

const { words, command: server } = splitCommand(process.argv.slice(2));
const program = createProgram(server, (code: ExitCode) => (process.exitCode = code));
try {
  await program.parseAsync(words, { from: "user" });
} catch (error) {
  const { exitCode, message } = endingOf(error);
  process.exitCode = exitCode;
  if (message !== undefined) process.stderr.write(`${message}\n`);
  const debug =
    Boolean(process.env["PARLEY_DEBUG"]) ||
    program.commands.some((one) => one.opts<{ debug?: boolean }>().debug === true);
  if (debug && message !== undefined) process.stderr.write(`${manyLines(inspect(error))}\n`);
}
