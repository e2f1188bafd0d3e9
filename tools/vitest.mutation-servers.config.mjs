import { defineConfig } from "vitest/config";

/** What the mutation run of the stores that need a server runs: their own tests. */
export default defineConfig({
  test: {
    include: ["packages/mcp-parley/test/store/{postgres,redis}*.test.ts"],
    globalSetup: ["packages/mcp-parley/test/support/servers/global-setup.ts"],
    testTimeout: 60_000,
  },
});
