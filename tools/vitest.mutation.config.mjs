import { defineConfig } from "vitest/config";

/** What the mutation run of the state room runs: its own tests, alone. */
export default defineConfig({
  test: {
    include: ["packages/mcp-parley/test/state/**/*.test.ts"],
    // It reads a page of the docs, which no mutant changes.
    exclude: ["**/docs.test.ts"],
    testTimeout: 60_000,
  },
});
