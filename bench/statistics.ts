/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

/** How far figures lie apart, as a part of their median: the noise of the machine. */
export function spread(figures: readonly number[]): number {
  return (Math.max(...figures) - Math.min(...figures)) / median(figures);
}

/**
 * The median of ratios taken pair by pair: figures of one repetition belong together, so that a
 * machine that slows down slows down both.
 */
export function ratio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((figure, at) => figure / (below[at] ?? NaN)));
}
