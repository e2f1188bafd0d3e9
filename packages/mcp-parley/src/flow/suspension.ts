/**
 * A suspension ends a round: it is what `ask` rejects with once its question has to go to the
 * client. It is thrown so that `finally` blocks run and pooled connections go home. It carries a
 * brand, so that two copies of this package know each other's.
 */
const BRAND = Symbol.for("mcp-parley.suspension");

class Suspension extends Error {
  override readonly name = "Suspension";
  readonly [BRAND] = true;
}

const suspension = new Suspension(
  "This round ends here: a question is on its way to the client. Let this error pass; a catch-all rethrows what isSuspension(error) recognises.",
);
// One sentinel serves every round, so where it was made says nothing.
suspension.stack = `${suspension.name}: ${suspension.message}`;

/**
 * True for what `call.ask` and its like reject with when the round ends. A handler with a
 * catch-all rethrows it; what a handler that swallows it goes on to return is discarded, because
 * the round has ended.
 */
export function isSuspension(error: unknown): boolean {
  return typeof error === "object" && error !== null && BRAND in error;
}

const ignore = (): void => undefined;

/** Marks a promise as handled; whoever awaits it still sees it reject. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore);
  return promise;
}

/** A rejected promise that may be dropped without an unhandled rejection. */
export function rejected(reason: Error): Promise<never> {
  return handled(Promise.reject(reason));
}

/** What everything that ends a round gives back: always the same rejected promise. */
export const SUSPENDED: Promise<never> = rejected(suspension);

/** Throws the suspension, where no promise can be returned. */
export function suspend(): never {
  throw suspension;
}
