import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { chart } from "./chart.js";
import { canPin, measuredIn } from "./child.js";
import { clients } from "./clients.js";
import { installed } from "./installed.js";
import { noise } from "./noise.js";
import { overHttp } from "./over-http.js";
import type { Measured } from "./over-http.js";
import { profile } from "./profile.js";
import { markdown } from "./markdown.js";
import { memory } from "./memory.js";
import { machine } from "./report.js";
import type { Abandoned, Report } from "./report.js";
import type { Sealed } from "./sealing.js";
import { HOSTED, MORE, QUICK_HOSTS, seriesOf } from "./series.js";
import { startUp } from "./start-up.js";
import { stores } from "./stores.js";

const HELP = `npm run bench [-- --quick] [--json FILE] [--docs]

Measures Parley beside its peers and the floor, in turn, and prints ratios within the run.
  --quick      fewer and shorter repetitions of less, some five minutes
  --json FILE  everything that was measured
  --docs       writes the tables and the chart of docs/performance.md

Of the stores, Redis and PostgreSQL are measured where REDIS_URL and DATABASE_URL say where they are.`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    docs: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) {
  console.log(HELP);
} else {
  await run();
}

async function run(): Promise<void> {
  const { quick } = values;
  // Short turns, and many: what slows the machine for a second then slows few of them.
  const repetitions = quick ? 9 : 21;
  const calm = noise();
  const http: Measured[] = [];
  for (const each of quick ? seriesOf(QUICK_HOSTS) : [...seriesOf(HOSTED), ...MORE]) {
    tell(`${each.plays.join(", ")}, ${String(each.inFlight)} in flight`);
    http.push(...(await overHttp(each, repetitions, quick ? 850 : 3_400)));
  }
  tell("seal and open");
  const times = quick ? ["21", "1500"] : ["41", "2000"];
  const sealing = measuredIn("sealing.js", { args: times }) as Sealed[];
  const pinned = canPin()
    ? (measuredIn("sealing.js", { args: times, pinnedTo: 0 }) as Sealed[])
    : undefined;
  tell("in process");
  const inProcess = measuredIn("in-process.js", {
    args: ["7", quick ? "4000" : "10000"],
  }) as number[];
  tell("memory");
  const held = await memory(3, quick ? 3_000 : 10_000);
  tell("100,000 flows begun and left");
  const abandoned = measuredIn("abandoned.js", {
    node: ["--expose-gc"],
    args: ["100000"],
  }) as Abandoned;
  const remembered = await stores(quick ? 3 : 7, quick ? 0.3 : 1, tell);
  tell("clients");
  const driven = await clients(repetitions, quick ? 500 : 1_400);
  tell("profile");
  const where = await profile(quick ? 6_000 : 20_000);
  tell("start-up");
  const started = startUp(quick ? 3 : 7);
  const report: Report = {
    machine: machine(),
    repetitions,
    noise: [...calm, ...noise()],
    http,
    sealing,
    pinned,
    inProcess,
    memory: held,
    abandoned,
    stores: remembered,
    clients: driven,
    profile: where,
    startUp: started,
    installed: {
      parley: installed("mcp-parley"),
      official: installed("@modelcontextprotocol/server", "@modelcontextprotocol/client"),
    },
  };
  const text = markdown(report);
  console.log(text);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(report, null, 2));
  if (values.docs) fillDocs(text, chart(http));
}

function tell(what: string): void {
  console.error(`${what} …`);
}

/** Puts the figures between their marks in the document. */
function fillDocs(text: string, svg: string): void {
  const docs = path.resolve(import.meta.dirname, "../../docs");
  const file = path.join(docs, "performance.md");
  const marked = /(<!-- figures -->\n)[\s\S]*?(<!-- end of figures -->)/;
  const document = readFileSync(file, "utf8").replace(marked, `$1\n${text}\n$2`);
  writeFileSync(file, document);
  writeFileSync(path.join(docs, "performance.svg"), svg);
}
