/*
 * Requests that have arrived together are answered one after the other once all of them have been
 * read. Reading and answering each take more code than a processor keeps at hand: taken in turns,
 * each is fetched once for many requests rather than once for each. Nothing waits for more to come.
 *
 * 1. In the order of arrival.
 * 2. What throws keeps nobody behind it from its turn.
 */

/** Where a runtime does not tell when all that was ready has been read, nothing is put off. */
const later: (run: () => void) => unknown =
  typeof setImmediate === "function" ? setImmediate : queueMicrotask;

let waiting: (() => void)[] = [];

/** Runs `answer` once everything that lies ready to be read has been. */
export function inTurn(answer: () => void): void {
  if (waiting.push(answer) === 1) later(takeTurns);
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
