import { pause, within } from "./clock.js";
import type { Clock } from "../ledger/clock.js";
import type { Link, LinkAbout } from "./questions/link.js";

const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 2_000;

/** Asks a link's `until` again and again, for as long as one round may wait. */
export async function waitUntil(
  link: Link,
  about: LinkAbout,
  signal: AbortSignal,
  clock: Clock,
): Promise<boolean> {
  const { until } = link;
  if (until === undefined) return true;
  const end = clock.now() + link.waitFor;
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
    const left = end - clock.now();
    if (left <= 0 || signal.aborted) return false;
    const happened = await within(clock, left, Promise.resolve(until(signal, about)));
    if (happened === true) return true;
    await pause(clock, Math.max(0, Math.min(wait, end - clock.now())));
  }
}
