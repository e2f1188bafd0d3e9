import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OUTCOME_META } from "../../src/server/failures.js";
import type { Wire } from "../support/hosts.js";
import { officialClients } from "../support/official-clients.js";
import type { Connected, Script, Target } from "../support/official-clients.js";
import { startHttp } from "../support/processes.js";
import type { HttpProcess } from "../support/processes.js";

/*
 * The official client from npm against a server of ours in a process of its own: answers that are
 * none, and revisions that are not spoken. What both can do is in features.test.ts.
 */
const script = path.join(import.meta.dirname, "fixtures/two-questions.mjs");

const ANSWERS: Readonly<Record<string, Wire>> = {
  "Why?": { action: "accept", content: { reason: "merged" } },
  "What matters?": { action: "accept", content: { focus: "safety" } },
  "In which tone?": { action: "accept", content: { tone: "kind" } },
  "What for?": { action: "accept", content: { purpose: "a test" } },
};

let http: HttpProcess;
beforeAll(async () => {
  http = await startHttp(script);
}, 60_000);
afterAll(() => http.stop());

const targets: [string, () => Target][] = [
  ["HTTP", () => ({ url: http.url })],
  ["stdio", () => ({ script })],
];

async function open(name: string, target: Target, answer: Script): Promise<Connected> {
  const connect = officialClients[name];
  if (connect === undefined) throw new Error(`no client ${name}`);
  return connect(target, answer);
}

describe.each(targets)("the official client 2.4.0 over %s", (_, target) => {
  let client: Connected;
  let answers: Script;
  beforeAll(async () => {
    client = await open("2.4.0", target(), (message) => answers(message));
  }, 60_000);
  afterAll(() => client.close());
  beforeEach(() => {
    answers = (message) => ANSWERS[message];
    client.asked.length = 0;
  });

  it("finds a server of this revision", () => {
    expect(client.revision).toBe("2026-07-28");
  });

  it("is asked again when an answer does not fit", async () => {
    const tooLong = { action: "accept", content: { reason: "x".repeat(81) } };
    answers = (message) => (message === "Why?" ? tooLong : ANSWERS[message.slice(0, 4)]);
    expect(await client.tool("delete_branch", { branch: "new" })).toMatchObject({
      content: [{ text: "Deleted new (merged), 1 in all." }],
    });
    expect(client.asked).toEqual([
      "Delete new?",
      "Why?",
      expect.stringMatching(/^Why\?\n\nThat answer does not fit\./),
    ]);
  });

  it.each([
    ["declined", "decline", 1001],
    ["cancelled", "cancel", 1002],
  ])("is told when the user %s", async (outcome, action, code) => {
    answers = () => ({ action });
    expect(await client.tool("delete_branch", { branch: "old" })).toMatchObject({
      isError: true,
      _meta: { [OUTCOME_META]: outcome },
    });
    await expect(client.prompt("review", { file: "a.ts" })).rejects.toMatchObject({ code });
    await expect(client.resource("vault://secret")).rejects.toMatchObject({ code });
    expect(client.asked).toHaveLength(3);
  });
});

describe.each(["2.4.0, held to 2025-11-25", "1.x, of 2025-11-25"])("the client %s", (name) => {
  it.each(targets)("is told over %s which revision this server speaks", async (_, target) => {
    await expect(open(name, target(), () => undefined)).rejects.toThrow(/2026-07-28/);
  });
});
