/*
 * One call of one tool: three rounds on three instances that share nothing but a key, one of which
 * is killed on the way. `--yes`, or no terminal, answers by itself. `--lossy` gives them a store,
 * delivers everything twice, loses a third of the answers, and kills an instance inside the effect.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { styleText, parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { newKeyText } from "mcp-parley/keys";
import { type Instance, startFleet } from "./fleet.js";
import { Lossy } from "./lossy.js";
import { startProvider } from "./provider.js";
import { type Round, startProxy } from "./proxy.js";
import { roundText } from "./round-text.js";

const { values: options } = parseArgs({
  options: { yes: { type: "boolean", short: "y" }, lossy: { type: "boolean" } },
});
const answersItself = options.yes === true || !process.stdin.isTTY || !process.stderr.isTTY;
const hasColors = process.stdout.isTTY && process.stdout.hasColors();
const paint: typeof styleText = (format, text) => (hasColors ? styleText(format, text) : text);
/** The client writes to the same terminal: its status line gives way. */
const say = (text = ""): void => console.log(`${hasColors ? "\r\x1b[2K" : ""}${text}`);

const lossy = options.lossy === true;
const folder = await mkdtemp(path.join(tmpdir(), "parley-demo-"));
const provider = await startProvider((headers) => !lossy || survives(headers["x-process"]));
const fleet = await startFleet(["a", "b", "c"], {
  PARLEY_KEYS: newKeyText(),
  DEMO_PROVIDER: provider.url,
  ...(lossy ? { DEMO_STORE: path.join(folder, "store.sqlite") } : {}),
});
const served = new Set<Instance>();
let rounds = 0;

/** Prints each round; the instance that served the first is killed before the client goes on. */
async function onRound(round: Round): Promise<void> {
  const { number, instance } = round;
  rounds = number;
  served.add(instance);
  say(`  ${paint("bold", `round ${number}`)}  instance ${instance.name}  ${roundText(round)}`);
  if (number === 1 && !lossy) await kill(instance, "");
}

/** The first instance that publishes is killed once it has, and before it is told so. */
function survives(process: unknown): boolean {
  const instance = fleet.find(({ pid }) => String(pid) === process);
  if (instance === undefined || fleet.some((each) => each.wasKilled())) return true;
  void kill(instance, " inside the effect");
  return false;
}

async function kill(instance: Instance, when: string): Promise<void> {
  await instance.kill();
  say(
    `           instance ${instance.name}  ${paint("red", "killed")}${when} (SIGKILL, process ${instance.pid})`,
  );
}

const network = new Lossy();
const proxy = await startProxy(
  fleet,
  onRound,
  lossy ? (deliver) => network.roughly(deliver) : undefined,
);
// Ctrl-C is for the client: it ends the call, and this process cleans up after it.
process.on("SIGINT", () => undefined);
try {
  say(
    lossy
      ? "A tool that asks twice, on three instances that share a key and a store, over a bad network."
      : "A tool that asks twice, on three instances that share nothing but a key.",
  );
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
  await rm(folder, { recursive: true });
}
say();
if (lossy) {
  say(`  ${network.delivered} deliveries, ${network.lost} answers lost`);
}
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
