import { NotDone } from "mcp-parley";

/** A pretend payment provider that counts. Like real ones it recognises an idempotency key. */
export class Provider {
  /** How often anyone was charged. */
  charged = 0;
  readonly #receipts = new Map<string, { receipt: string; amount: number }>();

  async charge(idempotencyKey: string, amount: number): Promise<{ receipt: string }> {
    const known = this.#receipts.get(idempotencyKey);
    if (known !== undefined) return { receipt: known.receipt };
    this.charged += 1;
    const receipt = `receipt-${String(this.charged)}`;
    this.#receipts.set(idempotencyKey, { receipt, amount });
    return Promise.resolve({ receipt });
  }

  /** What became of a charge; throws NotDone if there was none. */
  async find(idempotencyKey: string): Promise<{ receipt: string }> {
    const known = this.#receipts.get(idempotencyKey);
    if (known === undefined) throw new NotDone("Nothing was charged. Please try again.");
    return Promise.resolve({ receipt: known.receipt });
  }
}
