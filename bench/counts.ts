import { createHook } from "node:async_hooks";
import { createRequire, syncBuiltinESMExports } from "node:module";

/*
 * Counts what one two-round flow takes, where a figure does not depend on the machine: `node
 * --min-semi-space-size=256 --max-semi-space-size=256 counts.js`, with BENCH_TOOLS other tools. The
 * space is large enough that nothing is collected, so that what was allocated can be seen.
 */

/** What one flow takes, of what the library and the play of it do together. */
export interface Counts {
  readonly jsonParsed: number;
  readonly jsonWritten: number;
  /** Ciphers and decipherers set up. */
  readonly ciphers: number;
  readonly digests: number;
  readonly promises: number;
  readonly timers: number;
  /** KiB of heap that were allocated. */
  readonly allocated: number;
}

type Callable = (...values: never[]) => unknown;

const counted = { jsonParsed: 0, jsonWritten: 0, ciphers: 0, digests: 0, promises: 0, timers: 0 };

function count(owner: object, method: string, as: keyof typeof counted): void {
  const members = owner as Record<string, Callable>;
  const real = members[method];
  if (real === undefined) throw new Error(`There is no ${method}`);
  members[method] = (...values) => {
    counted[as] += 1;
    return real.apply(owner, values);
  };
}

const crypto = createRequire(import.meta.url)("node:crypto") as object;
for (const cipher of ["createCipheriv", "createDecipheriv"]) count(crypto, cipher, "ciphers");
for (const digest of ["hash", "createHash", "createHmac"]) count(crypto, digest, "digests");
syncBuiltinESMExports();

// Once the counters are in place, so that the library meets them.
const { playFlow } = await import("./play-in-process.js");
const { server } = await import("./servers/tools.js");

const FLOWS = 100;

async function play(flows: number): Promise<void> {
  for (let flow = 0; flow < flows; flow += 1) await playFlow(server);
}

async function allocating(flows: number): Promise<number> {
  const before = process.memoryUsage().heapUsed;
  await play(flows);
  return (process.memoryUsage().heapUsed - before) / flows / 1024;
}

await play(3_000); // until what runs is compiled and what is kept is there
const allocated = await allocating(1_000);

count(JSON, "parse", "jsonParsed");
count(JSON, "stringify", "jsonWritten");
count(globalThis, "setTimeout", "timers");
const promises = createHook({
  init(_id, type) {
    if (type === "PROMISE") counted.promises += 1;
  },
});
for (const key of Object.keys(counted) as (keyof typeof counted)[]) counted[key] = 0;
promises.enable();
await play(FLOWS);
promises.disable();

const perFlow = Object.entries(counted).map(([key, value]) => [key, value / FLOWS]);
console.log(JSON.stringify({ ...Object.fromEntries(perFlow), allocated }));
