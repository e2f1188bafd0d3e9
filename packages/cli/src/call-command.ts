import { Command } from "commander";
import { type CallOptions, call } from "./call.js";
import { EXIT_CODES, type ExitCode, usage } from "./exit.js";
import { readTarget } from "./target.js";
import { type TargetOptions, withTargetOptions } from "./target-options.js";

/** `parley call`. `server` is what followed `--`. */
export function callCommand(
  server: readonly string[] | undefined,
  done: (code: ExitCode) => void,
): Command {
  const command = new Command("call")
    .description("call a tool, and answer what it asks")
    .usage(
      "[options] <url> <tool> [name=value...]\n" +
        "       parley call [options] <tool> [name=value...] -- <command> [args...]",
    )
    .argument("[words...]")
    .option("--json", "print the result as JSON, and nothing else, on standard output")
    .option("-a, --answers <file>", "take answers from a JSON file")
    .option("-y, --yes", "accept every form that has a default for all it requires, unasked")
    .option("--no-open", "never open a page, only show its address");
  return withTargetOptions(command)
    .addHelpText(
      "after",
      `
Arguments:
  name=value is read by the tool's own schema: text, numbers, true and false, JSON for objects and
  lists. The same name several times makes a list. name:=json is JSON, whatever the schema says.

Questions:
  At a terminal each question is a form, with a review before anything is sent. Elsewhere, or
  before, answers come from the file of --answers, by the key of the question:
    { "sure": "accept", "why": { "reason": "merged" }, "login": { "action": "decline" } }
  An answer is "accept", "decline" or "cancel", an object with action and content, or the content
  of an accepted form alone. It is used once; a list of answers is used up one by one.

Examples:
  parley call http://localhost:3000/mcp delete_branch branch=old
  parley call http://localhost:3000/mcp delete_branch branch=old --answers answers.json
  parley call http://localhost:3000/mcp search 'filter:={"year":2026}' tag=x tag=y
  parley call --json add a=1 b=2 -- node server.js
${EXIT_CODES}`,
    )
    .action(async (words: string[], options: CallOptions & TargetOptions) => {
      const { target, rest } = readTarget(words, { command: server, ...options });
      const [tool, ...args] = rest;
      if (tool === undefined) throw usage(missingTool(server));
      done(await call(target, tool, args, options));
    });
}

function missingTool(server: readonly string[] | undefined): string {
  return server === undefined
    ? "Name the tool after the URL: parley call <url> <tool> [name=value...]"
    : "Name the tool before --: parley call <tool> [name=value...] -- <command> [args...]";
}
