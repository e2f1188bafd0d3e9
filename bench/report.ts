import { cpus } from "node:os";
import type { ClientsMeasured } from "./clients.js";
import type { Installed } from "./installed.js";
import type { Memory } from "./memory.js";
import type { Measured } from "./over-http.js";
import type { Profile } from "./profile.js";
import type { Sealed } from "./sealing.js";
import type { StartUp } from "./start-up.js";
import { ratio } from "./statistics.js";
import type { StoreMeasured } from "./stores.js";

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
  readonly memory: Memory;
  readonly abandoned: Abandoned;
  readonly stores: readonly StoreMeasured[];
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

/** The machine, in words. */
export function machine(): string {
  const [first] = cpus();
  return `${String(cpus().length)} × ${first?.model ?? "unknown"}, Node ${process.version}`;
}

type Find = (contender: string, play: string, inFlight?: number) => Measured;

/** Looks up what was measured of a contender. */
export function finder(http: readonly Measured[]): Find {
  return (contender, play, inFlight = 16) => {
    const found = http.find(
      (each) => each.contender === contender && each.play === play && each.inFlight === inFlight,
    );
    if (found === undefined) throw new Error(`not measured: ${contender}, ${play}`);
    return found;
  };
}

export const OURS = "parley, 0 other tools";
const OURS_500 = "parley, 500 other tools";
const FETCH = "parley, fetch handler behind @hono/node-server, 0 other tools";

/** The ratios of one run, each within the run, beside what they must be and are meant to be. */
export function lines(report: Report): Line[] {
  return [
    ...overHttpLines(report),
    ...clientLines(report),
    ...sealingLines(report),
    ...storeLines(report),
  ];
}

function atMost(what: string, value: number, must: number, aim: number): Line {
  return { what, value, must, aim, more: false };
}

function atLeast(what: string, value: number, must: number, aim: number): Line {
  return { what, value, must, aim, more: true };
}

function overHttpLines({ http, memory, abandoned }: Report): Line[] {
  const of = finder(http);
  const cpu = (above: Measured, below: Measured): number => ratio(above.cpu, below.cpu);
  const floor = of("floor + AEAD", "flow");
  const flow = of(OURS, "flow");
  const five = of(OURS, "five rounds");
  const plain = cpu(of(OURS, "plain"), of("floor", "plain"));
  const official = cpu(of("official SDK, 0 other tools", "flow"), flow);
  const official500 = cpu(of("official SDK, 500 other tools", "flow"), of(OURS_500, "flow"));
  return [
    atMost("two-leg flow, server CPU over floor + AEAD", cpu(flow, floor), 2, 1.5),
    atMost("plain call, server CPU over floor", plain, 1.6, 1.3),
    atLeast("official SDK over ours, flow CPU, no other tools", official, 7, 10),
    atLeast("official SDK over ours, flow CPU, 500 other tools", official500, 30, 50),
    atMost("ours with 500 other tools over none", cpu(of(OURS_500, "flow"), flow), 1.05, 1),
    atMost("five-round flow over two-round flow", cpu(five, of(OURS, "two rounds")), 2.8, 2.5),
    atMost(
      "fetch handler over node:http handler, flow CPU",
      cpu(of(FETCH, "flow"), flow),
      1.6,
      1.3,
    ),
    atMost(
      "memory at 64 in flight over the floor's, live marks apart",
      ratio(memory.parley, memory.floor),
      1.5,
      1.2,
    ),
    atMost(
      "heap growth per flow begun and left, of 100,000, in bytes",
      Math.max(0, abandoned.perFlow),
      1,
      1,
    ),
  ];
}

function clientLines({ clients }: Report): Line[] {
  const { raw, parley, official } = clients;
  const [rawUndici, undici] = [clients["raw, undici"], clients["parley, undici"]];
  return [
    atMost("client CPU over the raw client, node:http's pool", ratio(parley, raw), 1.6, 1.3),
    atMost("client CPU over the raw client, undici's pool", ratio(undici, rawUndici), 1.6, 1.3),
    atLeast("official client CPU over ours, node:http's pool", ratio(official, parley), 12, 18),
    atLeast("official client CPU over ours, undici's pool", ratio(official, undici), 12, 18),
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

/** The shared stores, of which something is wanted. */
function storeLines({ stores }: Report): Line[] {
  return stores
    .filter(({ name }) => /^(Redis, beside two SETs|PostgreSQL)$/.test(name))
    .map(({ name, bare, parley }) =>
      atLeast(`claims and settlements per second of bare: ${name}`, ratio(parley, bare), 0.7, 0.7),
    );
}
