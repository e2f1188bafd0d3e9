/** As far as time goes here, in ms: past the year 275760, and exact in every database. */
const END_OF_TIME = 8.64e15;

/** A time or a duration as databases take it: whole, finite, not below 0; what is no number is 0. */
export function wholeMs(ms: number): number {
  return ms > 0 ? Math.trunc(Math.min(ms, END_OF_TIME)) : 0;
}
