import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { FLOOR_AEAD } from "./contenders.js";
import { ServerProcess } from "./server-process.js";
import { median, ratio, spread } from "./statistics.js";

const NAMES = [
  "raw",
  "parley",
  "raw, undici",
  "barest, undici",
  "parley, undici",
  "official",
] as const;

/**
 * A bare pool and our client on it, of node:http and of undici, and the official client. Raw is what
 * one writes against the pool; the barest hands `undici` texts and checks nothing that comes back.
 */
export type ClientName = (typeof NAMES)[number];

/** Client CPU per two-round flow, in µs, over all repetitions. */
export type ClientsMeasured = Readonly<Record<ClientName, number[]>>;

/** Flows before the counting begins: what they run is compiled by then. */
const WARM_UP = 6_000;

/** How many flows it drives where the others drive so many: the official one is slow. */
function share(name: ClientName, flows: number): number {
  return Math.round(name === "official" ? flows / 5 : flows);
}

/** The clients as Markdown. */
export function clientTable(measured: ClientsMeasured): string[] {
  const rows = NAMES.map((name) => {
    const cpu = measured[name];
    const figures = [
      median(cpu).toFixed(0),
      `${(100 * spread(cpu)).toFixed(0)} %`,
      ratio(measured.official, cpu).toFixed(1),
    ];
    return `| ${[name.replace(/,|$/, " client$&"), ...figures].join(" | ")} |`;
  });
  return [
    "| client | CPU of a flow, µs | spread | official client over it |",
    "| --- | --: | --: | --: |",
    ...rows,
  ];
}

/**
 * Has each client, in a process of its own, drive flows in turn. They play against the floor, which
 * seals and does nothing else: it keeps up with the fastest, so that all are as busy as they can be.
 */
export async function clients(repetitions: number, flows: number): Promise<ClientsMeasured> {
  const server = await ServerProcess.start(FLOOR_AEAD.server, FLOOR_AEAD.env);
  const measured: ClientsMeasured = {
    raw: [],
    parley: [],
    "raw, undici": [],
    "barest, undici": [],
    "parley, undici": [],
    official: [],
  };
  const running = new Map<ClientName, ChildProcess>();
  try {
    for (const name of NAMES) {
      const child = fork(path.join(import.meta.dirname, "play-client.js"), [name, server.url]);
      running.set(name, child);
      await once(child, "message");
      await drive(child, share(name, WARM_UP));
    }
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const [name, child] of running) {
        measured[name].push(await drive(child, share(name, flows)));
      }
    }
  } finally {
    for (const child of running.values()) child.kill();
    server.stop();
  }
  return measured;
}

async function drive(child: ChildProcess, flows: number): Promise<number> {
  const answer = once(child, "message");
  child.send(flows);
  const [cpu] = (await answer) as [number];
  return cpu;
}
