import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parley } from "./contenders.js";
import { PLAYS, load } from "./load.js";
import { ServerProcess } from "./server-process.js";

/** Where a server's time went, each as a part of the whole, the largest first. */
export type Profile = readonly (readonly [string, number])[];

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Samples a server of ours while it plays flows. */
export async function profile(flows: number): Promise<Profile> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-profile-"));
  try {
    const flags = ["--cpu-prof", "--cpu-prof-interval=250", `--cpu-prof-dir=${folder}`];
    const server = await ServerProcess.start("parley", parley(0).env, flags);
    await load(server.url, PLAYS.flow, flows, 16);
    await server.stopped();
    const [file = ""] = readdirSync(folder);
    return partsOf(JSON.parse(readFileSync(path.join(folder, file), "utf8")) as CpuProfile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function partsOf({ nodes, samples, timeDeltas }: CpuProfile): Profile {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const time = new Map<string, number>();
  let whole = 0;
  // The first third is loading and warming up.
  for (let at = Math.ceil(samples.length / 3); at < samples.length; at += 1) {
    const place = places.get(samples[at] ?? 0);
    const delta = timeDeltas[at] ?? 0;
    if (place === undefined || delta < 0) continue;
    time.set(place, (time.get(place) ?? 0) + delta);
    whole += delta;
  }
  return [...time].map(([place, of]) => [place, of / whole] as const).sort((a, b) => b[1] - a[1]);
}

/** Where a function lies; undefined while nothing is done. */
function placeOf({ functionName, url }: { functionName: string; url: string }): string | undefined {
  if (functionName === "(idle)") return undefined;
  if (functionName === "(garbage collector)") return "collecting garbage";
  if (functionName === "(program)") return "the engine and the system";
  const ours = /\/packages\/mcp-parley\/dist\/(\w+)\//.exec(url)?.[1];
  if (ours !== undefined) return `ours: \`${ours}/\``;
  if (/^node:internal\/crypto/.test(url)) return "Node's crypto";
  if (url.startsWith("node:")) return "Node's HTTP, streams and timers";
  if (url === "") return /^writev?/.test(functionName) ? "writing to sockets" : "built into Node";
  return "the tool and its schema";
}
