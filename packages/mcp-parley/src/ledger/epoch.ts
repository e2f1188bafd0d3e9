import { chain, isPromiseLike, type Awaitable } from "../protocol/json.js";
import type { Random } from "../state/random.js";
import { Elapsed } from "./clock.js";
import type { Desk } from "./desk.js";
import { EPOCH_NAME } from "./names.js";

/** How long an epoch once read is believed, in ms. */
export const EPOCH_BELIEVED_MS = 1000;

/** The end of the year 9999: an epoch ends only with the store's memory. */
const NEVER = 253_402_300_799_000;

/**
 * A random value that the store keeps for as long as it remembers anything. When it changes, the
 * store has lost its memory, and with it every spent mark.
 */
export class Epoch {
  readonly #desk: Desk;
  readonly #random: Random;
  #known: { value: string; since: Elapsed; failures: number } | undefined;
  #asking: PromiseLike<string> | undefined;

  constructor(desk: Desk, random: Random) {
    this.#desk = desk;
    this.#random = random;
  }

  /** Null where the store is this process's own. */
  get(): Awaitable<string | null> {
    if (this.#desk.local) return null;
    return this.#believed() ?? this.#asking ?? this.#ask();
  }

  /** What was read lately. A store that has failed since may have come back empty. */
  #believed(): string | undefined {
    const known = this.#known;
    if (known === undefined || known.failures !== this.#desk.failures) return undefined;
    return known.since.ms() < EPOCH_BELIEVED_MS ? known.value : undefined;
  }

  #ask(): Awaitable<string> {
    const since = new Elapsed(this.#desk.clock);
    const failures = this.#desk.failures;
    const value = this.#random.id();
    const row = { owner: this.#random.id(), mark: value, body: "", bodyFor: 0, notAfter: NEVER };
    const found = this.#desk.ask((store) => store.insertOrGet(EPOCH_NAME, row));
    const epoch = chain(found, (standing) => {
      const stands = standing.kind === "present" ? standing.row.mark : value;
      this.#known = { value: stands, since, failures };
      return stands;
    });
    if (!isPromiseLike(epoch)) return epoch;
    const asking = epoch.then(
      (stands) => {
        this.#asking = undefined;
        return stands;
      },
      (error: unknown) => {
        this.#asking = undefined;
        throw error;
      },
    );
    this.#asking = asking;
    return asking;
  }
}
