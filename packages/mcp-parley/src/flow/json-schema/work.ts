/** Thrown when checking a value would take more work than it is worth. */
export class Overspent extends Error {}

/**
 * The work one validation may do. Whatever can multiply (subschemas met through references, steps
 * of a pattern, items compared) is paid from it, so that no value and no schema takes for ever.
 */
export class Work {
  #left = 0;

  /** Begins anew, with so many steps. */
  allow(steps: number): void {
    this.#left = steps;
  }

  /** Takes steps; throws {@link Overspent} when there are none left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Overspent();
  }
}
