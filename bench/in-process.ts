import { playFlow } from "./play-in-process.js";
import { server } from "./servers/tools.js";

/*
 * CPU of a two-round flow without a transport, both sides' JSON included, in µs: `node
 * in-process.js REPETITIONS TIMES`. A loop understates what the same costs between reading and
 * writing HTTP, where the processor's caches hold other things.
 */
const [repetitions = 0, times = 0] = process.argv.slice(2).map(Number);
const figures: number[] = [];
for (let repetition = -2; repetition < repetitions; repetition += 1) {
  const before = process.cpuUsage();
  for (let done = 0; done < times; done += 1) await playFlow(server);
  const { user, system } = process.cpuUsage(before);
  if (repetition >= 0) figures.push((user + system) / times); // the first two warm up
}
console.log(JSON.stringify(figures));
