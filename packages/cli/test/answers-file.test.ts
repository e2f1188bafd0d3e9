import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PreparedAnswers, readAnswers } from "../src/answers-file.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "parley-answers-"));
});
afterAll(async () => rm(folder, { recursive: true }));

let count = 0;
async function answers(content: unknown): Promise<PreparedAnswers> {
  const file = path.join(folder, `${++count}.json`);
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return readAnswers(file);
}

describe("a file of answers", () => {
  test("takes actions, answers in full, and contents alone", async () => {
    const prepared = await answers({
      word: "decline",
      full: { action: "accept", content: { a: 1 } },
      bare: { action: "cancel" },
      content: { reason: "merged" },
      field: { action: "fly", height: 3 },
    });
    expect(prepared.take("word")).toEqual({ action: "decline" });
    expect(prepared.take("full")).toEqual({ action: "accept", content: { a: 1 } });
    expect(prepared.take("bare")).toEqual({ action: "cancel" });
    expect(prepared.take("content")).toEqual({ action: "accept", content: { reason: "merged" } });
    expect(prepared.take("field")).toEqual({
      action: "accept",
      content: { action: "fly", height: 3 },
    });
    expect(prepared.take("toString")).toBeUndefined();
  });

  test("gives each answer once, and those of a list one by one", async () => {
    const prepared = await answers({ once: "accept", twice: ["decline", { n: 2 }] });
    expect(prepared.take("once")).toEqual({ action: "accept" });
    expect(prepared.take("once")).toBeUndefined();
    expect(prepared.wasUsed("once")).toBe(true);
    expect(prepared.unused).toEqual(["twice"]);
    expect(prepared.take("twice")).toEqual({ action: "decline" });
    expect(prepared.has("twice")).toBe(true);
    expect(prepared.take("twice")).toEqual({ action: "accept", content: { n: 2 } });
    expect(prepared.has("twice")).toBe(false);
  });

  test.each([
    ["{", /is not JSON/],
    ["[]", /has to hold an object/],
    ['{"sure":7}', /the answer to "sure" has to be/],
    ['{"sure":"yes"}', /the answer to "sure"/],
    ['{"sure":{"action":"accept","content":7}}', /the answer to "sure"/],
  ])("%s is refused", async (content, message) => {
    await expect(answers(content)).rejects.toThrow(message);
  });

  test("that is not there is refused by its name", async () => {
    await expect(readAnswers(path.join(folder, "none.json"))).rejects.toThrow(/none\.json.*ENOENT/);
  });
});
