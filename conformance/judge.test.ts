import { once } from "node:events";
import { type Server, createServer } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Check, judge } from "./judge.js";
import { startServer } from "./processes.js";
import { ROOT, judgeClient, judgeServerScenario } from "./referee.js";

const success: Check = { id: "sep-2322-result-type", status: "SUCCESS" };
const wire: Check = { id: "wire-schema-valid", status: "SUCCESS" };

describe("judge", () => {
  const judgeChecks = (checks: unknown, exitCode?: number) => judge({ checks, exitCode }).problems;

  test("passes what succeeded, whatever was skipped or only told beside it", () => {
    const checks = [success, wire, { id: "a", status: "SKIPPED" }, { id: "b", status: "INFO" }];
    expect(judge({ checks, exitCode: 0 })).toEqual({ passed: 2, problems: [] });
    expect(judge({ checks, exitCode: undefined }).problems).toEqual([]);
  });

  test.each(["FAILURE", "WARNING", "SOMETHING_NEW"])("fails a check that ended in %s", (status) => {
    const check = { id: "x", status, errorMessage: "why" };
    expect(judgeChecks([success, check])).toEqual([`${status} x why`]);
  });

  test("fails a scenario of which nothing, or nothing of substance, succeeded", () => {
    const nothing = ["no check of substance succeeded"];
    expect(judgeChecks([])).toEqual(nothing);
    expect(judgeChecks([wire])).toEqual(nothing);
    expect(judgeChecks([wire, { id: "x", status: "SKIPPED" }])).toEqual(nothing);
  });

  test.each([undefined, null, {}, "[]", [null], [{ id: "x" }], [{ status: "SUCCESS" }]])(
    "fails a scenario whose checks are missing or unreadable: %j",
    (checks) => {
      expect(judgeChecks(checks)).toEqual(["left no readable checks"]);
    },
  );

  test("fails a run that did not exit with 0, whatever its checks say", () => {
    expect(judgeChecks([success], 5)).toEqual(["exited with 5"]);
  });
});

describe("the runner fails", () => {
  // Completes everything at once, never asks.
  let broken: Server;
  let url: string;
  beforeAll(async () => {
    broken = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number };
        response.setHeader("content-type", "application/json");
        const result = { resultType: "complete", content: [] };
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    }).listen(0, "127.0.0.1");
    await once(broken, "listening");
    const address = broken.address();
    if (address === null || typeof address === "string") throw new Error("no address");
    url = `http://127.0.0.1:${address.port}/mcp`;
  });
  afterAll(() => broken.close());

  test("a server that never asks", async () => {
    const { problems } = await judgeServerScenario(url, "input-required-result-basic-elicitation");
    expect(problems).toContainEqual(expect.stringContaining("FAILURE"));
  }, 60_000);

  test("a server of which the referee only warns", async () => {
    const scenario = "input-required-result-missing-input-response";
    const { problems } = await judgeServerScenario(url, scenario);
    expect(problems).toContainEqual(expect.stringContaining("WARNING"));
    expect(problems).not.toContainEqual(expect.stringContaining("exited"));
  }, 60_000);

  test("a scenario the referee does not know", async () => {
    const { problems } = await judgeServerScenario(url, "input-required-result-unheard-of");
    expect(problems).toContain("left no readable checks");
  }, 60_000);

  test("a client that does nothing and exits with an error", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "parley-broken-client-"));
    try {
      await writeFile(path.join(folder, "client.mjs"), "process.exit(5);\n");
      const script = path.relative(ROOT, path.join(folder, "client.mjs"));
      const [judged] = await judgeClient(script, ["sep-2322-client-request-state"]);
      expect(judged?.problems).toContain("exited with 1");
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 60_000);

  test("a fixture server that does not start", async () => {
    await expect(startServer("conformance/absent.js", ROOT)).rejects.toThrow(/did not start/);
  });
});
