/** The first pause before a round that only waits, in milliseconds, and the longest. */
const FIRST = 250;
const LONGEST = 5_000;

/** By how much a pause may be longer than it has to be, so that many clients do not come back at once. */
const SPREAD = 0.2;

/**
 * How long to wait before repeating a request to a server that asked for nothing but to be asked
 * again, for the `nth` time in a row (1 for the first). `random` is from 0 to 1.
 * Specification: basic/patterns/mrtr, client requirement 1.
 */
export function paceOf(nth: number, random: () => number = Math.random): number {
  const least = Math.min(FIRST * 2 ** (Math.max(1, nth) - 1), LONGEST);
  return least * (1 + SPREAD * random());
}

/** The first pause before something that was cut is opened again, in milliseconds, and the longest. */
const FIRST_CUT = 1_000;
const LONGEST_CUT = 30_000;

/** Wide: a server that restarts cuts all its clients off at once. */
const SPREAD_CUT = 0.5;

/** How long to wait before opening anew what was cut, for the `nth` time in a row (1 for the first). */
export function backOff(nth: number, random: () => number = Math.random): number {
  const least = Math.min(FIRST_CUT * 2 ** (Math.max(1, nth) - 1), LONGEST_CUT);
  return least * (1 + SPREAD_CUT * random());
}
