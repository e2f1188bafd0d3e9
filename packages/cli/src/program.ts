import { Command } from "commander";
import { type CallOptions, call } from "./call.js";
import { EXIT, type ExitCode, usage } from "./exit.js";
import { keysCommand } from "./keys.js";
import { offerText, readOffer } from "./list.js";
import { jsonText } from "./plain.js";
import { type SessionOptions, VERSION, withSession } from "./session.js";
import { paintFor } from "./style.js";
import { readTarget } from "./target.js";

const EXIT_CODES = `
Exit codes:
  0    done
  1    the call failed, or the tool says so
  2    the command was not understood; nothing was called
  3    a question needs an answer, and there was none that fits
  4    declined or cancelled, and the call ended there
  130  interrupted (Ctrl-C)`;

interface TargetOptions {
  readonly header: string[];
  readonly env: string[];
}

/**
 * The command line. `command` is what followed `--`, a server to start. `done` takes the exit code
 * of what was run.
 */
export function createProgram(
  command: readonly string[] | undefined,
  done: (code: ExitCode) => void,
): Command {
  const program = new Command("parley")
    .description(
      "Talks to servers of the Model Context Protocol (2026-07-28), and answers what they ask.",
    )
    .version(VERSION, "-V, --version", "print the version")
    .option("--debug", "on failure, print where it happened (also PARLEY_DEBUG=1)")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText(
      "after",
      `
A server is a URL, or a command after --, which is started and spoken with over its standard streams.

Examples:
  parley list http://localhost:3000/mcp
  parley list -- node server.js
  parley call http://localhost:3000/mcp delete_branch branch=old
${EXIT_CODES}`,
    )
    .exitOverride();

  withTarget(program.command("list"))
    .description("List what a server offers: tools, prompts and resources, and what they take.")
    .usage("[options] <url>\n       parley list [options] -- <command> [args...]")
    .option("--json", "print the lists as JSON")
    .argument("[url]")
    .addHelpText(
      "after",
      `
Examples:
  parley list http://localhost:3000/mcp
  parley list --json http://localhost:3000/mcp | jq '.tools[].name'
  parley list -- npx -y some-mcp-server --its-own-option`,
    )
    .action(
      async (
        url: string | undefined,
        options: SessionOptions & TargetOptions & { json?: boolean },
      ) => {
        const { target } = readTarget(url === undefined ? [] : [url], { command, ...options });
        await withSession(options, async (session) => {
          const client = await session.connect(target);
          const offer = await readOffer(client, session.signal);
          const text =
            options.json === true
              ? jsonText(offer)
              : offerText(client, offer, paintFor(process.stdout));
          process.stdout.write(`${text}\n`);
        });
        done(EXIT.ok);
      },
    );

  withTarget(program.command("call"))
    .description("Call a tool, and answer what it asks.")
    .usage(
      "[options] <url> <tool> [name=value...]\n       parley call [options] <tool> [name=value...] -- <command> [args...]",
    )
    .argument("[words...]")
    .option("--json", "print the result as JSON, and nothing else, on standard output")
    .option("-a, --answers <file>", "take answers from a JSON file")
    .option(
      "-y, --yes",
      "accept every form that is a plain yes or has defaults for all it requires",
    )
    .option("--no-open", "never open a page, only show its address")
    .addHelpText(
      "after",
      `
Arguments are read by the tool's own schema: text, numbers, true and false, and JSON for lists and
objects. A list may also be given as the same name several times. name:=json is JSON as it stands.

At a terminal the tool's questions are asked there. Elsewhere they are answered from --answers:
  { "sure": "accept", "why": { "reason": "merged" }, "login": { "action": "decline" } }
that is, by the key of the question: an action, an object with action and content, or the content of
an accepted form alone; a list of these where the same is asked several times.

Examples:
  parley call http://localhost:3000/mcp delete_branch branch=old
  parley call --answers answers.json http://localhost:3000/mcp delete_branch branch=old
  parley call --json add a=1 b=2 -- node server.js
  parley call http://localhost:3000/mcp search 'filter:={"year":2026}' tag=x tag=y
${EXIT_CODES}`,
    )
    .action(async (words: string[], options: CallOptions & TargetOptions) => {
      const { target, rest } = readTarget(words, { command, ...options });
      const [tool, ...args] = rest;
      if (tool === undefined) throw usage(missingTool(command));
      done(await call(target, tool, args, options));
    });

  program.addCommand(keysCommand().copyInheritedSettings(program));
  for (const subcommand of program.commands.at(-1)?.commands ?? []) {
    subcommand.copyInheritedSettings(program);
  }
  return program;
}

/** The options that say which server, and how to talk to it. */
function withTarget(command: Command): Command {
  return command
    .option(
      "-H, --header <name:value>",
      "send a header with every request; repeatable",
      collect,
      [],
    )
    .option(
      "-e, --env <name=value>",
      "set a variable for a started server; repeatable",
      collect,
      [],
    )
    .option("-t, --timeout <seconds>", "how long one request may take (default 60)")
    .option("-v, --verbose", "show each round, progress, and what a started server writes");
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function missingTool(command: readonly string[] | undefined): string {
  return command === undefined
    ? "Name the tool after the URL: parley call <url> <tool> [name=value...]"
    : "Name the tool before --: parley call <tool> [name=value...] -- <command> [args...]";
}
