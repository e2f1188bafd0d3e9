import { Command } from "commander";
import { callCommand } from "./call-command.js";
import { EXIT_CODES, type ExitCode } from "./exit.js";
import { keysCommand } from "./keys.js";
import { listCommand } from "./list-command.js";
import { VERSION } from "./session.js";
import { storeCommand } from "./store-command.js";

/**
 * The command line. `server` is what followed `--`: the command of a server to start. `done` takes
 * the exit code of what was run. What the user got wrong is thrown, not exited on.
 */
export function createProgram(
  server: readonly string[] | undefined,
  done: (code: ExitCode) => void,
): Command {
  const program = new Command("parley")
    .description(
      "talk to servers of the Model Context Protocol (2026-07-28), and answer what they ask",
    )
    .version(VERSION, "-V, --version", "print the version")
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText(
      "after",
      `
A server is a URL, or a command after --, which is started and spoken with over its standard
streams. "parley help call" tells how arguments and answers are given.

Examples:
  parley list http://localhost:3000/mcp
  parley list -- node server.js
  parley call http://localhost:3000/mcp delete_branch branch=old
  parley call delete_branch branch=old -- node server.js
${EXIT_CODES}`,
    );
  const commands = [
    listCommand(server, done),
    callCommand(server, done),
    keysCommand(),
    storeCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  prepare(program);
  return program;
}

/** Has a command and all below it throw where they would exit, and speak of their help alike. */
function prepare(command: Command): void {
  command.exitOverride().helpOption("-h, --help", "print this help");
  for (const below of command.commands) prepare(below);
}
