import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { sourceAliases } from "./tools/library-entries.js";
import { LastLine } from "./tools/vitest-reporter.js";

const project = (name: string, include: string[]) => ({
  extends: true as const,
  test: { name, include, setupFiles: ["./tools/vitest-setup.ts"] },
});

export default defineConfig({
  // Tests import the library's sources and "mcp-parley" side by side: both must be one copy of it.
  resolve: { alias: sourceAliases() },
  test: {
    exclude: ["**/node_modules/**", "**/dist/**"],
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Generous: the tests start many processes, and share their machine with others.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", new LastLine()],
    // Starts nothing by itself: the files that need a database or a Redis do.
    globalSetup: ["./packages/mcp-parley/test/support/servers/global-setup.ts"],
    projects: [
      project("mcp-parley", ["packages/mcp-parley/test/**/*.test.ts"]),
      project("cli", ["packages/cli/test/**/*.test.ts"]),
      project("conformance", ["conformance/**/*.test.ts"]),
      project("examples", ["examples/**/*.test.ts"]),
      project("demo", ["demo/**/*.test.ts"]),
      project("bench", ["bench/**/*.test.ts"]),
      project("tools", ["tools/**/*.test.ts"]),
      {
        extends: true as const,
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["packages/mcp-parley/test/**/*.test-d.ts"],
            tsconfig: "packages/mcp-parley/test/tsconfig.json",
          },
        },
      },
    ],
  },
});
