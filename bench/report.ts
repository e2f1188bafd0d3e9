import { cpus } from "node:os";
import type { ClientsMeasured } from "./clients.js";
import type { Installed } from "./installed.js";
import type { Measured } from "./over-http.js";
import type { Profile } from "./profile.js";
import type { Sealed } from "./sealing.js";
import type { StartUp } from "./start-up.js";
import { median, ratio, spread } from "./statistics.js";

/** What flows that were begun and left leave behind. */
export interface Abandoned {
  /** Growth of the heap, in bytes for each. */
  readonly perFlow: number;
  /** The ledger's marks of all of them, in bytes. */
  readonly marks: number;
}

/** Everything one run measured. */
export interface Report {
  readonly machine: string;
  readonly repetitions: number;
  /** The same work again and again, before and after: see noise.ts. */
  readonly noise: readonly number[];
  readonly http: readonly Measured[];
  readonly sealing: readonly Sealed[];
  /** The same on one processor; undefined where a process can't be kept to one. */
  readonly pinned: readonly Sealed[] | undefined;
  /** A two-round flow without a transport, in µs of CPU. */
  readonly inProcess: readonly number[];
  readonly abandoned: Abandoned;
  readonly clients: ClientsMeasured;
  readonly profile: Profile;
  readonly startUp: StartUp;
  readonly installed: { readonly parley: Installed; readonly official: Installed };
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
const NO_MARKS = "parley, without marks, 0 other tools";
const OURS_500 = "parley, 500 other tools";
const FETCH = "parley, fetch handler behind @hono/node-server, 0 other tools";

/** The ratios of one run, each within the run, beside what they must be and are meant to be. */
export function lines(report: Report): Line[] {
  return [...overHttpLines(report), ...clientLines(report), ...sealingLines(report)];
}

function atMost(what: string, value: number, must: number, aim: number): Line {
  return { what, value, must, aim, more: false };
}

function atLeast(what: string, value: number, must: number, aim: number): Line {
  return { what, value, must, aim, more: true };
}

function overHttpLines({ http, abandoned }: Report): Line[] {
  const of = finder(http);
  const cpu = (above: Measured, below: Measured): number => ratio(above.cpu, below.cpu);
  const floor = of("floor + AEAD", "flow");
  const flow = of(OURS, "flow");
  const plain = cpu(of(OURS, "plain"), of("floor", "plain"));
  const official = cpu(of("official SDK, 0 other tools", "flow"), flow);
  const official500 = cpu(of("official SDK, 500 other tools", "flow"), of(OURS_500, "flow"));
  const memory = ratio(of(NO_MARKS, "flow", 64).rss, of("floor + AEAD", "flow", 64).rss);
  return [
    atMost("two-leg flow, server CPU over floor + AEAD", cpu(flow, floor), 2, 1.5),
    atMost("plain call, server CPU over floor", plain, 1.6, 1.3),
    atLeast("official SDK over ours, flow CPU, no other tools", official, 7, 10),
    atLeast("official SDK over ours, flow CPU, 500 other tools", official500, 30, 50),
    atMost("ours with 500 other tools over none", cpu(of(OURS_500, "flow"), flow), 1.05, 1),
    atMost("five-round flow over two-round flow", cpu(of(OURS, "five rounds"), flow), 2.8, 2.5),
    atMost(
      "fetch handler over node:http handler, flow CPU",
      cpu(of(FETCH, "flow"), flow),
      1.6,
      1.3,
    ),
    atMost("memory at 64 in flight over the floor's, live marks apart", memory, 1.5, 1.2),
    atMost(
      "heap growth per flow begun and left, of 100,000, in bytes",
      Math.max(0, abandoned.perFlow),
      1,
      1,
    ),
  ];
}

function clientLines({ clients: { raw, parley, official } }: Report): Line[] {
  return [
    atMost("client CPU over the raw client on the same pool", ratio(parley, raw), 1.6, 1.3),
    atLeast("official client CPU over ours", ratio(official, parley), 12, 18),
  ];
}

const SEALING_BOUNDS: ReadonlyMap<number, readonly [number, number]> = new Map([
  [64, [1.4, 1.1]],
  [1024, [1.2, 1]],
  [16_384, [1.1, 1]],
]);

function sealingLines({ sealing, pinned }: Report): Line[] {
  const all = sealing.map(({ bytes, parley, aesGcm }) => {
    const [must, aim] = SEALING_BOUNDS.get(bytes) ?? [NaN, NaN];
    const what = `seal and open ${String(bytes)} B over synchronous AES-256-GCM`;
    return atMost(what, ratio(parley, aesGcm), must, aim);
  });
  const codec = (where: string, all: readonly Sealed[], must: number, aim: number): Line[] =>
    all
      .filter(({ bytes }) => bytes === 1024)
      .map(({ parley, official }) =>
        atLeast(
          `official codec with binding over ours, 1 KB, ${where}`,
          ratio(official, parley),
          must,
          aim,
        ),
      );
  return [
    ...all,
    ...codec("unpinned", sealing, 6, 10),
    ...codec("one processor", pinned ?? [], 3, 4.5),
  ];
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
  const { installed, startUp, inProcess, abandoned } = report;
  const size = ({ packages, bytes }: Installed): string =>
    `${(bytes / 1e6).toFixed(1)} MB in ${String(packages)} packages`;
  const ms = (figures: readonly number[]): string => `${median(figures).toFixed(0)} ms`;
  return [
    `Measured on ${report.machine}; medians of ${String(report.repetitions)} interleaved repetitions, no wrong answer among them. Ratios are taken pair by pair within a repetition; absolute figures drift with the machine. The same work, done again and again before and after, took ${(spread(report.noise) * 100).toFixed(0)} % more at its slowest than at its fastest.`,
    "",
    "| ratio | measured | must | aim | reached |",
    "| --- | --: | --: | --: | --- |",
    ...rows,
    "",
    "| server | play | in flight | server CPU, µs per operation | spread | operations per second | p50 / p99 of a request, ms | memory, MB |",
    "| --- | --- | --: | --: | --: | --: | --: | --: |",
    ...measured,
    "",
    `Without a transport a two-round flow takes ${median(inProcess).toFixed(0)} µs of CPU, which understates what it costs between reading and writing HTTP. Of the memory at 64 in flight, ${marksOf(report)} MB are the ledger's live marks and results, kept for a minute; 100,000 flows begun and left have ${String(abandoned.marks)} bytes of marks.`,
    "",
    "Where the time of a two-round flow goes, 16 in flight, by sampling the server's process:",
    "",
    "| | part |",
    "| --- | --: |",
    ...report.profile.map(([place, part]) => `| ${place} | ${(part * 100).toFixed(0)} % |`),
    "",
    "| | Parley | official SDK | bare Node |",
    "| --- | --: | --: | --: |",
    `| from starting a process to a server with one tool | ${ms(startUp.parley)} | ${ms(startUp.official)} | ${ms(startUp.node)} |`,
    `| installed, server and client | ${size(installed.parley)} | ${size(installed.official)} | |`,
    "",
  ].join("\n");
}

function marksOf({ http }: Report): string {
  const { marks } = finder(http)(OURS, "flow", 64);
  return (median(marks) / 2 ** 20).toFixed(0);
}
