/*
 * Messages that have arrived together are worked through one after the other once all of them have
 * been read: requests by a server, answers by a client. Reading and answering each take more code
 * than a processor keeps at hand: taken in turns, each is fetched once for many messages rather
 * than once for each. Nothing waits for more to come.
 *
 * 1. In the order of arrival.
 * 2. What throws keeps nobody behind it from its turn.
 */

/**
 * Where a runtime does not tell when all that was ready has been read, nothing is put off. Nor is
 * it in Cloudflare Workers, where no request may do another's work, and one that is cut off takes
 * what it has put off with it.
 */
const later: (run: () => void) => unknown =
  typeof setImmediate === "function" && !isWorkers() ? setImmediate : queueMicrotask;

function isWorkers(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent === "Cloudflare-Workers";
}

let waiting: (() => void)[] = [];

/** Runs `work` once everything that lies ready to be read has been. */
export function inTurn(work: () => void): void {
  if (waiting.push(work) === 1) later(takeTurns);
}

function takeTurns(): void {
  const turns = waiting;
  waiting = [];
  let next = 0;
  try {
    while (next < turns.length) turns[next++]?.();
  } finally {
    // Reached with some left only where one threw: its error goes on to whoever hears of such.
    for (const left of turns.slice(next)) inTurn(left);
  }
}
