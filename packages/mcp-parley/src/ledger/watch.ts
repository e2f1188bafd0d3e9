import { isPromiseLike } from "../protocol/json.js";
import type { Inserted, Stored } from "../store/store.js";
import type { Desk } from "./desk.js";

/** The first pause between two looks at a row that another process holds, in ms. */
const FIRST_PAUSE = 25;

/** Each pause is this much longer than the one before. */
const GROWTH = 1.6;

/** The longest pause, in ms. */
const LONGEST_PAUSE = 500;

/** An insert that is past by any clock: it reads. */
const READING = { owner: "", mark: "", body: "", bodyFor: 0, notAfter: 0 };

/**
 * Waits for a claim that somebody else holds. Resolves once it may have changed, and after `ms`
 * at the latest; never rejects. A holder in this process wakes its waiters; one elsewhere is
 * looked for, with growing pauses. `seen` is the row as it was read, `leaseLeft` what its holder
 * has left in ms; both only for a holder elsewhere.
 */
export function watch(
  desk: Desk,
  row: string,
  ms: number,
  elsewhere?: { seen: Stored; leaseLeft: number },
): Promise<void> {
  return new Promise((resolve) => {
    let over = false;
    let callOffLook: (() => void) | undefined;
    const finish = (): void => {
      over = true;
      callOffEnd();
      callOffWake();
      callOffLook?.();
      resolve();
    };
    const callOffEnd = desk.clock.after(ms, finish, true);
    const callOffWake = desk.register.wait(row, finish);
    if (elsewhere === undefined) return;
    const { seen } = elsewhere;

    let pause = FIRST_PAUSE;
    const lookLater = (): void => {
      if (over) return;
      callOffLook = desk.clock.after(pause, look, true);
      pause = Math.min(pause * GROWTH, LONGEST_PAUSE);
    };
    const judge = (found: Inserted): void => {
      const same =
        found.kind === "present" &&
        found.row.owner === seen.owner &&
        found.row.mark === seen.mark &&
        found.row.age - seen.age < elsewhere.leaseLeft;
      if (same) lookLater();
      else finish();
    };
    const look = (): void => {
      try {
        const found = desk.ask((store) => store.insertOrGet(row, READING));
        // A store that is away may be back at the next look.
        if (isPromiseLike(found)) found.then(judge, lookLater);
        else judge(found);
      } catch {
        lookLater();
      }
    };
    lookLater();
  });
}
