import { isSuspension } from "../flow/suspension.js";

let installed = false;

/**
 * Lets a process outlive a suspension that nobody awaited, such as that of a detached `ask`. Told by
 * its brand alone: every other unhandled rejection ends the process, or reaches whoever else
 * listens, as if this were not here. For the entries that own a process; once per process.
 */
export function ignoreUnhandledSuspensions(): void {
  if (installed) return;
  installed = true;
  process.on("unhandledRejection", (reason) => {
    if (isSuspension(reason)) return;
    // A listener keeps Node from ending the process; where this is the only one, so does it.
    if (process.listenerCount("unhandledRejection") === 1) throw reason;
  });
}
