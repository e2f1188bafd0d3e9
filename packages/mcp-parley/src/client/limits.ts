/** How far a call may go. Each has its default below; times are in milliseconds. */
export interface ClientLimits {
  /** Rounds that brought questions, in one call. */
  readonly rounds?: number | undefined;
  /** Time the requests of one call and the pauses between them take together. */
  readonly totalTime?: number | undefined;
  /** Time the answer functions take together in one call; it counts for nothing else. */
  readonly answerTime?: number | undefined;
  /** Time the server has for its first answer, within which it shows that it speaks this revision. */
  readonly probeTime?: number | undefined;
  /** Size of one response, in bytes. */
  readonly responseSize?: number | undefined;
  /** Pages of one list, as it is gone through. */
  readonly pages?: number | undefined;
}

/** One request's time, unless it says otherwise: a minute, as is usual among MCP clients. */
export const TIMEOUT = 60_000;

/** The pages read of one list: cursors that lead in circles end here, as nothing else can tell. */
export const MAX_PAGES = 1_000;

export const LIMITS: Readonly<Record<keyof ClientLimits, number>> = {
  // A wizard of fifty steps is a long one; a server that asks on and on is stopped all the same.
  rounds: 50,
  // As long as a flow on a Parley server may last by default: waiting longer seldom helps.
  totalTime: 3_600_000,
  // People may take their time; the state they come back with has an end of its own.
  answerTime: Infinity,
  // A server that is installed as it is started, as package runners do, is slow the first time.
  probeTime: 30_000,
  responseSize: 16 * 1024 * 1024,
  pages: MAX_PAGES,
};

/** The limits to go by. `RangeError` for one that is no positive number. */
export function limitsFrom(given: ClientLimits = {}): Record<keyof ClientLimits, number> {
  const limits = { ...LIMITS };
  for (const name of Object.keys(LIMITS) as (keyof ClientLimits)[]) {
    const value = given[name];
    if (value !== undefined) limits[name] = positive(`limits.${name}`, value);
  }
  return limits;
}

/** The value itself. `RangeError` where it is no positive number. */
export function positive(name: string, value: number): number {
  if (typeof value === "number" && value > 0) return value;
  throw new RangeError(`${name} must be a positive number, not ${String(value)}`);
}
