import { cpus } from "node:os";
import type { ClientsMeasured } from "./clients.js";
import type { Measured } from "./over-http.js";
import type { Sealed } from "./sealing.js";
import { median, ratio, spread } from "./statistics.js";

/** Everything one run measured. */
export interface Report {
  readonly machine: string;
  readonly repetitions: number;
  readonly http: readonly Measured[];
  readonly sealing: readonly Sealed[];
  readonly clients: ClientsMeasured;
}

/** A ratio that has to hold, with what it must and should be. */
export interface Line {
  readonly what: string;
  readonly value: number;
  readonly must: number;
  readonly aim: number;
  /** True where more is better. */
  readonly more: boolean;
}

export function machine(): string {
  const [first] = cpus();
  return `${String(cpus().length)} × ${first?.model ?? "unknown"}, Node ${process.version}`;
}

type Find = (contender: string, play: string, inFlight?: number) => Measured;

function finder(http: readonly Measured[]): Find {
  return (contender, play, inFlight = 16) => {
    const found = http.find(
      (each) => each.contender === contender && each.play === play && each.inFlight === inFlight,
    );
    if (found === undefined) throw new Error(`not measured: ${contender}, ${play}`);
    return found;
  };
}

const OURS = "parley, 0 other tools";
const OURS_500 = "parley, 500 other tools";
const FETCH = "parley, fetch handler behind @hono/node-server, 0 other tools";

/** The ratios of one run, each within the run. */
export function lines({ http, sealing, clients }: Report): Line[] {
  const of = finder(http);
  const line = (what: string, value: number, must: number, aim: number, more = false): Line => ({
    what,
    value,
    must,
    aim,
    more,
  });
  const cpu = (above: Measured, below: Measured): number => ratio(above.cpu, below.cpu);
  const flow = of(OURS, "flow");
  const all = [
    line(
      "two-leg flow, server CPU over floor + AEAD",
      cpu(flow, of("floor + AEAD", "flow")),
      2,
      1.5,
    ),
    line(
      "plain call, server CPU over floor",
      cpu(of(OURS, "plain"), of("floor", "plain")),
      1.6,
      1.3,
    ),
    line(
      "official SDK over ours, flow CPU, no other tools",
      cpu(of("official SDK, 0 other tools", "flow"), flow),
      7,
      10,
      true,
    ),
    line(
      "official SDK over ours, flow CPU, 500 other tools",
      cpu(of("official SDK, 500 other tools", "flow"), of(OURS_500, "flow")),
      30,
      50,
      true,
    ),
    line("ours with 500 other tools over ours with none", cpu(of(OURS_500, "flow"), flow), 1.05, 1),
    line("five-round flow over two-round flow", cpu(of(OURS, "five rounds"), flow), 2.8, 2.5),
    line("fetch handler over node:http handler, flow CPU", cpu(of(FETCH, "flow"), flow), 1.6, 1.3),
    line(
      "memory under 64 in flight over the floor's",
      ratio(of(OURS, "flow", 64).rss, of("floor + AEAD", "flow", 64).rss),
      1.5,
      1.2,
    ),
    line(
      "client CPU over the raw client on the same pool",
      ratio(clients.parley, clients.raw),
      1.6,
      1.3,
    ),
    line("official client CPU over ours", ratio(clients.official, clients.parley), 12, 18, true),
  ];
  const bounds = new Map([
    [64, [1.4, 1.1]],
    [1024, [1.2, 1]],
    [16_384, [1.1, 1]],
  ]);
  for (const { bytes, parley, aesGcm, official } of sealing) {
    const [must = NaN, aim = NaN] = bounds.get(bytes) ?? [];
    all.push(
      line(
        `seal and open ${String(bytes)} B over synchronous AES-256-GCM`,
        ratio(parley, aesGcm),
        must,
        aim,
      ),
    );
    if (bytes === 1024) {
      all.push(
        line("official codec with binding over ours, 1 KB", ratio(official, parley), 6, 10, true),
      );
    }
  }
  return all;
}

const holds = ({ value, more }: Line, bound: number): boolean =>
  more ? value >= bound : value <= bound;

/** The run as Markdown: generated, never typed. */
export function markdown(report: Report): string {
  const rows = lines(report).map((line) => {
    const sign = line.more ? "≥" : "≤";
    const verdict = holds(line, line.aim) ? "aim" : holds(line, line.must) ? "must" : "**missed**";
    return `| ${line.what} | ${line.value.toFixed(2)} | ${sign} ${String(line.must)} | ${sign} ${String(line.aim)} | ${verdict} |`;
  });
  const measured = report.http.map((each) => {
    const last = each.loads.map(({ perSecond }) => perSecond);
    const [p50, p99] = [each.loads.map((l) => l.p50), each.loads.map((l) => l.p99)];
    return `| ${each.contender} | ${each.play} | ${String(each.inFlight)} | ${median(each.cpu).toFixed(0)} | ${(spread(each.cpu) * 100).toFixed(0)} % | ${median(last).toFixed(0)} | ${median(p50).toFixed(1)} / ${median(p99).toFixed(1)} | ${(median(each.rss) / 2 ** 20).toFixed(0)} |`;
  });
  return [
    `Measured on ${report.machine}; medians of ${String(report.repetitions)} interleaved repetitions. Ratios are taken pair by pair within a repetition; absolute figures drift with the machine.`,
    "",
    "| ratio | measured | must | aim | reached |",
    "| --- | --: | --: | --: | --- |",
    ...rows,
    "",
    "| server | play | in flight | server CPU, µs per operation | spread | operations per second | p50 / p99 of a request, ms | memory, MB |",
    "| --- | --- | --: | --: | --: | --: | --: | --: |",
    ...measured,
    "",
  ].join("\n");
}
