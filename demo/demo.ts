/*
 * One call of one tool: three rounds on three instances that share nothing but a key, one of which
 * is killed on the way. `--yes`, or no terminal, answers by itself.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { styleText, parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { newKeyText } from "mcp-parley/keys";
import { type Instance, startFleet } from "./fleet.js";
import { startProvider } from "./provider.js";
import { type Round, startProxy } from "./proxy.js";
import { roundText } from "./round-text.js";

const { values: options } = parseArgs({ options: { yes: { type: "boolean", short: "y" } } });
const answersItself = options.yes === true || !process.stdin.isTTY || !process.stderr.isTTY;
const hasColors = process.stdout.isTTY && process.stdout.hasColors();
const paint: typeof styleText = (format, text) => (hasColors ? styleText(format, text) : text);
/** The client writes to the same terminal: its status line gives way. */
const say = (text = ""): void => console.log(`${hasColors ? "\r\x1b[2K" : ""}${text}`);

const provider = await startProvider();
const fleet = await startFleet(["a", "b", "c"], {
  PARLEY_KEYS: newKeyText(),
  DEMO_PROVIDER: provider.url,
});
const served = new Set<Instance>();
let rounds = 0;

/** Prints each round; the instance that served the first is killed before the client goes on. */
async function onRound(round: Round): Promise<void> {
  const { number, instance } = round;
  rounds = number;
  served.add(instance);
  say(`  ${paint("bold", `round ${number}`)}  instance ${instance.name}  ${roundText(round)}`);
  if (number !== 1) return;
  await instance.kill();
  say(
    `           instance ${instance.name}  ${paint("red", "killed")} (SIGKILL, process ${instance.pid})`,
  );
}

const proxy = await startProxy(fleet, onRound);
// Ctrl-C is for the client: it ends the call, and this process cleans up after it.
process.on("SIGINT", () => undefined);
try {
  say("A tool that asks twice, on three instances that share nothing but a key.");
  for (const { name, pid, port } of fleet) {
    say(paint("dim", `  instance ${name}: process ${pid}, port ${port}`));
  }
  const words = [proxy.url, "release", "version=2.0.0"];
  say();
  say(paint("dim", `$ parley call ${[...(answersItself ? ["--yes"] : []), ...words].join(" ")}`));
  const parley = fileURLToPath(new URL("../../packages/cli/bin/parley.mjs", import.meta.url));
  const client = spawn(
    process.execPath,
    [parley, "call", ...(answersItself ? ["--yes"] : []), ...words],
    { stdio: "inherit" },
  );
  const [code] = (await once(client, "exit")) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  proxy.close();
  provider.close();
  await Promise.all(fleet.map(async (instance) => instance.stop()));
}
say();
say(
  [
    counted(rounds, "round"),
    counted(served.size, "instance"),
    `${fleet.filter((instance) => instance.wasKilled()).length} killed`,
    counted(provider.effects, "effect"),
  ].join(", "),
);

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
