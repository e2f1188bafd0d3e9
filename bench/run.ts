import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { chart } from "./chart.js";
import { clients } from "./clients.js";
import { FLOOR, FLOOR_AEAD, official, parley } from "./contenders.js";
import { overHttp } from "./over-http.js";
import type { Measured, Series } from "./over-http.js";
import { machine, markdown } from "./report.js";
import type { Report } from "./report.js";
import { sealing } from "./sealing.js";

const HELP = `npm run bench [-- --quick] [--json FILE] [--docs]

Measures Parley beside its peers and the floor, in turn, and prints ratios within the run.
  --quick      three short repetitions, about two minutes
  --json FILE  everything that was measured
  --docs       writes the tables and the chart of docs/performance.md`;

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
  const repetitions = values.quick ? 3 : 7;
  const operations = values.quick ? 4_000 : 10_000;
  const all = [
    FLOOR,
    FLOOR_AEAD,
    parley(0),
    parley(500),
    parley(0, "fetch"),
    official(0),
    official(500),
  ];
  const series: Series[] = [
    { play: "plain", inFlight: 16, contenders: [FLOOR, parley(0), official(0)] },
    { play: "first leg", inFlight: 16, contenders: [FLOOR_AEAD, parley(0), official(0)] },
    { play: "flow", inFlight: 16, contenders: all },
    { play: "flow", inFlight: 1, contenders: [FLOOR_AEAD, parley(0)] },
    { play: "flow", inFlight: 64, contenders: [FLOOR_AEAD, parley(0)] },
    { play: "five rounds", inFlight: 16, contenders: [parley(0)] },
  ];
  const http: Measured[] = [];
  for (const each of series) {
    console.error(`${each.play}, ${String(each.inFlight)} in flight …`);
    http.push(...(await overHttp(each, repetitions, operations)));
  }
  console.error("seal and open …");
  const sealed = await sealing(repetitions, values.quick ? 4_000 : 10_000);
  console.error("clients …");
  const driven = await clients(repetitions, values.quick ? 800 : 2_000);
  const report: Report = {
    machine: machine(),
    repetitions,
    http,
    sealing: sealed,
    clients: driven,
  };
  const text = markdown(report);
  console.log(text);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(report, null, 2));
  if (values.docs) fillDocs(text, chart(http));
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
