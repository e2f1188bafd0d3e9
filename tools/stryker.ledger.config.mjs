// Mutation testing of the ledger and of the stores that need no server: `npm run mutation:ledger`,
// an hour or more on two cores. What it leaves out, tests against real servers take in: a mutant
// that stops a server's script would take the whole time limit of each test.
import base from "./stryker.config.mjs";

const store = "packages/mcp-parley/src/store";

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  ...base,
  mutate: [
    "packages/mcp-parley/src/ledger/**/*.ts",
    ...["deadlines", "in-time", "memory", "sqlite", "whole-ms"].map(
      (name) => `${store}/${name}.ts`,
    ),
  ],
  vitest: { configFile: "tools/vitest.mutation-ledger.config.mjs", related: false },
  jsonReporter: { fileName: "reports/mutation/ledger.json" },
  htmlReporter: { fileName: "reports/mutation/ledger.html" },
};
