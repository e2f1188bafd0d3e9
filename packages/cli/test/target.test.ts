import { describe, expect, test } from "vitest";
import { readTarget, splitCommand } from "../src/target.js";

const none = { command: undefined, header: [], env: [] };

describe("a target", () => {
  test("is what follows --, options and further -- included", () => {
    expect(splitCommand(["call", "add", "a=1", "--", "npx", "x", "--", "-y"])).toEqual({
      words: ["call", "add", "a=1"],
      command: ["npx", "x", "--", "-y"],
    });
    expect(splitCommand(["list"])).toEqual({ words: ["list"], command: undefined });
  });

  test("is a URL, the first word", () => {
    const { target, rest } = readTarget(["https://a.test/mcp", "add", "a=1"], {
      ...none,
      header: ["Authorization: Bearer x:y"],
    });
    expect(target).toEqual({
      kind: "url",
      url: "https://a.test/mcp",
      headers: { Authorization: "Bearer x:y" },
    });
    expect(rest).toEqual(["add", "a=1"]);
  });

  test("is a command, with variables", () => {
    const { target, rest } = readTarget(["add"], {
      command: ["node", "server.js"],
      header: [],
      env: ["A=b=c"],
    });
    expect(target).toEqual({
      kind: "command",
      command: "node",
      args: ["server.js"],
      env: { A: "b=c" },
    });
    expect(rest).toEqual(["add"]);
  });

  test.each([
    [[], none, /Name a server/],
    [["server.js"], none, /"server.js" is no URL/],
    [["add"], { ...none, command: [] }, /Nothing follows --/],
    [["http://a.test"], { ...none, command: ["node"] }, /not both/],
    [["http://a.test"], { ...none, env: ["A=1"] }, /--env is for/],
    [["add"], { ...none, command: ["node"], header: ["A: b"] }, /--header is for/],
    [["http://a.test"], { ...none, header: ["nothing"] }, /--header takes name:value/],
  ])("%j %j is refused", (words, options, message) => {
    expect(() => readTarget(words, options)).toThrow(message);
  });
});
