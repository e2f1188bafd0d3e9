import { clientTable } from "./clients.js";
import type { Installed } from "./installed.js";
import { OURS, finder, lines } from "./report.js";
import type { Line, Report } from "./report.js";
import { median, ratio, spread } from "./statistics.js";
import { storeTable } from "./stores.js";

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
    `Five rounds take the floor with AEAD ${fivefold("floor + AEAD", report)} times what two take it, and the official SDK ${fivefold("official SDK, 0 other tools", report)} times: each round seals and opens, which the first of two spares.`,
    "",
    `Without a transport a two-round flow takes ${median(inProcess).toFixed(0)} µs of CPU, which understates what it costs between reading and writing HTTP. Of the memory at 64 in flight, ${marksOf(report)} MB are the ledger's live marks and results, kept for a minute; 100,000 flows begun and left have ${String(abandoned.marks)} bytes of marks.`,
    "",
    `Memory is compared once V8's young generation has grown to what it grows to under load, with which both begin: ${mb(report.memory.parley)} MB and ${mb(report.memory.floor)} MB.`,
    "",
    ...storeTable(report.stores),
    "",
    ...clientTable(report.clients),
    "",
    `They play against the floor with AEAD, which keeps up with the fastest. The barest hands \`undici\` texts and checks nothing: the official client takes ${bound(report)} times what that takes, and no client over it can be further below.`,
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

/** What five rounds cost a contender over two. */
function fivefold(contender: string, { http }: Report): string {
  const of = finder(http);
  return ratio(of(contender, "five rounds").cpu, of(contender, "two rounds").cpu).toFixed(2);
}

/** How far below the official client any client over undici can be. */
function bound({ clients }: Report): string {
  return ratio(clients.official, clients["barest, undici"]).toFixed(1);
}

function marksOf({ http }: Report): string {
  const { marks } = finder(http)(OURS, "flow", 64);
  return (median(marks) / 2 ** 20).toFixed(0);
}

const mb = (figures: readonly number[]): string => (median(figures) / 2 ** 20).toFixed(0);
