import { createHash } from "node:crypto";

/**
 * The same work again and again, in µs of CPU each time: how far these lie apart is the machine's
 * doing, and how far other figures may lie apart for no reason of their own.
 */
export function noise(times = 25): number[] {
  const figures: number[] = [];
  for (let time = -3; time < times; time += 1) {
    const before = process.cpuUsage();
    for (let n = 0; n < 20_000; n += 1) createHash("sha256").update(String(n)).digest();
    const { user, system } = process.cpuUsage(before);
    if (time >= 0) figures.push(user + system);
  }
  return figures;
}
