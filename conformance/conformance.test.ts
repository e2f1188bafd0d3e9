import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServerProcess, startServer } from "./processes.js";
import { type Judged, ROOT, judgeClient, judgeServer } from "./referee.js";
import { SCENARIOS } from "./scenarios.js";

const find = (judged: readonly Judged[], name: string): Judged | undefined =>
  judged.find(({ scenario }) => scenario === name);

describe("the referee passes our server", () => {
  let server: ServerProcess;
  let judged: readonly Judged[];
  beforeAll(async () => {
    server = await startServer("conformance/dist/server.js", ROOT);
    judged = await judgeServer(server.url, SCENARIOS.server);
  }, 300_000);
  afterAll(async () => server.stop());

  test.each(SCENARIOS.server)("%s", (scenario) => {
    expect(find(judged, scenario)).toMatchObject({ problems: [] });
  });
});

describe("the referee passes our client", () => {
  let judged: readonly Judged[];
  beforeAll(async () => {
    judged = await judgeClient("conformance/dist/client.js", SCENARIOS.client);
  }, 300_000);

  test.each(SCENARIOS.client)("%s", (scenario) => {
    expect(find(judged, scenario)).toMatchObject({ problems: [] });
  });
});
