// Mutation testing of the stores that need a server, PostgreSQL and Redis, against real ones that
// it starts: `npm run mutation:servers`, an hour or more on two cores.
import base from "./stryker.config.mjs";

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  ...base,
  mutate: [
    "packages/mcp-parley/src/store/{postgres,redis}*.ts",
    "packages/mcp-parley/src/store/hear-errors.ts",
  ],
  vitest: { configFile: "tools/vitest.mutation-servers.config.mjs", related: false },
  timeoutMS: 60_000,
  jsonReporter: { fileName: "reports/mutation/servers.json" },
  htmlReporter: { fileName: "reports/mutation/servers.html" },
};
