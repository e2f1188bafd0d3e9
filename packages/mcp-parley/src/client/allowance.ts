import type { Clock } from "./clock.js";

/** An amount of time that is used up bit by bit. */
export class Allowance {
  readonly #total: number;
  readonly #clock: Clock;
  #used = 0;

  /** `total` in ms. */
  constructor(total: number, clock: Clock) {
    this.#total = total;
    this.#clock = clock;
  }

  /** What has been used up, in ms. */
  get used(): number {
    return this.#used;
  }

  /** What is left, in ms: 0 once it is used up. */
  get left(): number {
    return Math.max(0, this.#total - this.#used);
  }

  /** Does some work on it. */
  async spend<T>(work: () => Promise<T>): Promise<T> {
    const began = this.#clock.now();
    try {
      return await work();
    } finally {
      this.#used += this.#clock.now() - began;
    }
  }
}
