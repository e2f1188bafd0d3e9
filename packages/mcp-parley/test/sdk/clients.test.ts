import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OUTCOME_META } from "../../src/server/failures.js";
import { officialClients } from "../support/official-clients.js";
import type { Connected, Script, Target } from "../support/official-clients.js";
import type { Wire } from "../support/hosts.js";
import { example, startHttp } from "../support/processes.js";
import type { HttpProcess } from "../support/processes.js";

const ANSWERS: Readonly<Record<string, Wire>> = {
  "Why?": { action: "accept", content: { reason: "merged" } },
  "What matters?": { action: "accept", content: { focus: "safety" } },
  "In which tone?": { action: "accept", content: { tone: "kind" } },
  "What for?": { action: "accept", content: { purpose: "a test" } },
};

let http: HttpProcess;
beforeAll(async () => {
  http = await startHttp(example("sdk-server"));
}, 60_000);
afterAll(() => http.stop());

const targets: Readonly<Record<string, () => Target>> = {
  HTTP: () => ({ url: http.url }),
  stdio: () => ({ script: example("sdk-server") }),
};

describe.each(Object.keys(officialClients))("the official client %s", (name) => {
  describe.each(Object.keys(targets))("over %s", (transport) => {
    let client: Connected;
    let script: Script;
    beforeAll(async () => {
      const connect = officialClients[name];
      const target = targets[transport];
      if (connect === undefined || target === undefined) throw new Error("no such client");
      client = await connect(target(), (message) => script(message));
    }, 60_000);
    afterAll(() => client.close());
    beforeEach(() => {
      script = (message) => ANSWERS[message];
      client.asked.length = 0;
    });

    it("speaks the revision it is made for", () => {
      expect(client.revision).toBe(name === "2.4.0" ? "2026-07-28" : "2025-11-25");
    });

    it("completes a two-question tool", async () => {
      expect(await client.tool("delete_branch", { branch: "old" })).toMatchObject({
        content: [{ type: "text", text: "Deleted old." }],
      });
      expect(client.asked).toEqual(["Delete old?", "Why?"]);
    });

    it("completes a two-question prompt", async () => {
      const text = "Review a.ts for safety, in a kind tone.";
      expect(await client.prompt("review", { file: "a.ts" })).toMatchObject({
        messages: [{ role: "user", content: { type: "text", text } }],
      });
      expect(client.asked).toEqual(["What matters?", "In which tone?"]);
    });

    it("completes a two-question resource", async () => {
      expect(await client.resource("vault://secret")).toMatchObject({
        contents: [{ uri: "vault://secret", text: "For a test: open sesame" }],
      });
      expect(client.asked).toEqual(["Do you accept the terms?", "What for?"]);
    });

    it.each([
      ["declined", "decline", 1001],
      ["cancelled", "cancel", 1002],
    ])("is told when the user %s", async (outcome, action, code) => {
      script = () => ({ action });
      expect(await client.tool("delete_branch", { branch: "old" })).toMatchObject({
        content: [{ type: "text", text: expect.stringContaining("'sure'") as unknown }],
        isError: true,
        _meta: { [OUTCOME_META]: outcome },
      });
      await expect(client.prompt("review", { file: "a.ts" })).rejects.toMatchObject({ code });
      expect(client.asked).toEqual(["Delete old?", "What matters?"]);
    });

    it("is asked again when an answer does not fit, and told why", async () => {
      const tooLong = { action: "accept", content: { reason: "x".repeat(81) } };
      script = (message) => {
        if (message === "Why?") return tooLong;
        return ANSWERS[message.slice(0, 4)];
      };
      expect(await client.tool("delete_branch", { branch: "old" })).toMatchObject({
        content: [{ type: "text", text: "Deleted old." }],
      });
      expect(client.asked).toEqual([
        "Delete old?",
        "Why?",
        expect.stringMatching(/^Why\?\n\nThat answer does not fit\. .*reason/),
      ]);
    });
  });
});
