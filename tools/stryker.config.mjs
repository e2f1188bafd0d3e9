// Mutation testing of the state room: `npm run mutation`, an hour or more on two cores. Constants
// that are read when a module loads are left out, since each would take a run of every test;
// MUTATE_STATIC=1 takes them in.
/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  mutate: ["packages/mcp-parley/src/state/**/*.ts"],
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "tools/vitest.mutation.config.mjs", related: false },
  coverageAnalysis: "perTest",
  concurrency: 1,
  ignoreStatic: process.env["MUTATE_STATIC"] !== "1",
  timeoutMS: 20_000,
  ignorePatterns: ["**/dist", "bench", "conformance", "examples", "docs", "packages/cli"],
  reporters: ["clear-text", "json", "html"],
  jsonReporter: { fileName: "reports/mutation/mutation.json" },
  htmlReporter: { fileName: "reports/mutation/mutation.html" },
  thresholds: { high: 95, low: 90, break: 90 },
  tempDirName: ".stryker-tmp",
};
