import type { Measured } from "./over-http.js";
import { median } from "./statistics.js";

const WIDTH = 720;
const LABEL = 330;
const ROW = 26;

/** Server CPU per flow as bars, on a scale of tenfolds. */
export function chart(http: readonly Measured[]): string {
  const bars = http
    .filter(({ play, inFlight }) => play === "flow" && inFlight === 16)
    .map(({ contender, cpu }) => ({ contender, cpu: median(cpu) }))
    .sort((a, b) => a.cpu - b.cpu);
  const most = Math.max(...bars.map(({ cpu }) => cpu));
  const length = (cpu: number): number =>
    ((WIDTH - LABEL - 80) * Math.log10(Math.max(cpu, 10) / 10)) / Math.log10(most / 10);
  const height = bars.length * ROW + 40;
  const rows = bars.map(({ contender, cpu }, at) => {
    const y = 30 + at * ROW;
    const colour = contender.startsWith("parley") ? "#2563eb" : "#9ca3af";
    return `<text x="${String(LABEL - 8)}" y="${String(y + 14)}" text-anchor="end">${contender}</text><rect x="${String(LABEL)}" y="${String(y)}" width="${length(cpu).toFixed(1)}" height="18" fill="${colour}"/><text x="${(LABEL + length(cpu) + 6).toFixed(1)}" y="${String(y + 14)}">${cpu.toFixed(0)} µs</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${String(WIDTH)}" height="${String(height)}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Server CPU per two-round flow"><rect width="100%" height="100%" fill="white"/><text x="8" y="18" font-size="13">Server CPU per two-round flow, 16 in flight (logarithmic)</text>${rows.join("")}</svg>\n`;
}
