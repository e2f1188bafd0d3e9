import { setImmediate } from "node:timers/promises";
import { afterAll } from "vitest";

/*
 * A test file fails when anything in it was rejected or thrown with nobody there to catch it, even
 * when every one of its tests passed. Vitest fails the run for that; this names the file.
 */
const uncaught: unknown[] = [];
const collect = (error: unknown): void => void uncaught.push(error);

process.on("unhandledRejection", collect);
process.on("uncaughtException", collect);

afterAll(async () => {
  await setImmediate(); // Node reports a rejection only once the microtasks have run dry.
  if (uncaught.length > 0) {
    throw new AggregateError(uncaught, `${uncaught.length} unhandled in this file`);
  }
});
