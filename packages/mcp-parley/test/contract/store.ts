import { describe, test } from "vitest";
import type { Awaitable } from "../../src/protocol/json.js";
import { storeContract, type StoreBench } from "../../src/store/contract.js";

/** Runs the contract of stores over one of them; `make` is called anew for each case. */
export function contractOf(name: string, make: () => Awaitable<StoreBench>): void {
  describe(`the ${name} store`, () => {
    for (const { title, run } of storeContract) {
      test(title, async () => {
        const bench = await make();
        try {
          await run(bench);
        } finally {
          await bench.store.close?.();
        }
      });
    }
  });
}
