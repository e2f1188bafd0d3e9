import { defineConfig } from "vitest/config";

const stores = "{deadlines,in-time,memory,memory.contract,sqlite,sqlite.contract}";

/** What the mutation run of the ledger and the stores runs: their own tests, without servers. */
export default defineConfig({
  test: {
    include: [
      "packages/mcp-parley/test/ledger/**/*.test.ts",
      `packages/mcp-parley/test/store/${stores}.test.ts`,
    ],
    testTimeout: 60_000,
  },
});
