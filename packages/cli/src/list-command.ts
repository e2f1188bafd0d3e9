import { Command } from "commander";
import { EXIT, type ExitCode } from "./exit.js";
import { offerText, readOffer } from "./list.js";
import { jsonText } from "./plain.js";
import { withSession } from "./session.js";
import { paintFor } from "./style.js";
import { readTarget } from "./target.js";
import { type TargetOptions, withTargetOptions } from "./target-options.js";

/** `parley list`. `server` is what followed `--`. */
export function listCommand(
  server: readonly string[] | undefined,
  done: (code: ExitCode) => void,
): Command {
  const command = new Command("list")
    .description("list what a server offers: tools, prompts, resources, and what they take")
    .usage("[options] <url>\n       parley list [options] -- <command> [args...]")
    .argument("[url]")
    .option("--json", "print the lists as JSON");
  return withTargetOptions(command)
    .addHelpText(
      "after",
      `
A * marks what has to be given.

Examples:
  parley list http://localhost:3000/mcp
  parley list --json http://localhost:3000/mcp | jq '.tools[].name'
  parley list -- npx -y some-mcp-server --its-own-option`,
    )
    .action(async (url: string | undefined, options: TargetOptions & { json?: boolean }) => {
      const words = url === undefined ? [] : [url];
      const { target } = readTarget(words, { command: server, ...options });
      await withSession(options, async (session) => {
        const client = await session.connect(target);
        const offer = await readOffer(client, session.signal);
        const text =
          options.json === true
            ? jsonText(offer)
            : offerText(client.server, offer, paintFor(process.stdout));
        process.stdout.write(`${text}\n`);
      });
      done(EXIT.ok);
    });
}
