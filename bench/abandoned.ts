import { beginFlow } from "./play-in-process.js";
import { server, store } from "./servers/tools.js";

/*
 * What flows that were begun and left leave behind, in bytes of heap each: `node --expose-gc
 * abandoned.js FLOWS`. A flow that waits for its answer is nowhere but in its state.
 */
const flows = Number(process.argv[2]);

async function begin(count: number): Promise<number> {
  for (let done = 0; done < count; done += 1) await beginFlow(server);
  gc?.();
  return process.memoryUsage().heapUsed;
}

const before = await begin(20_000); // what stays is in place by then
const after = await begin(flows);
console.log(JSON.stringify({ perFlow: (after - before) / flows, marks: store.bytes }));
