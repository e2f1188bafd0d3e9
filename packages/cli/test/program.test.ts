import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProgram } from "../src/program.js";
import { endingOf } from "../src/report.js";
import { splitCommand } from "../src/target.js";
import { serveFixture } from "./support/command.js";

/*
 * The command line within this process: what it says of itself, and what it refuses.
 */
let url: string;
let stop: () => void;
beforeAll(async () => {
  ({ url, stop } = await serveFixture());
});
afterAll(() => stop());

async function run(argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { words, command } = splitCommand(argv);
  let [out, err, code] = ["", "", -1];
  const program = createProgram(command, (done) => (code = done));
  const capture = (one: Command): void => {
    one.configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (err += text) });
    one.commands.forEach(capture);
  };
  capture(program);
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    const { exitCode, message = "" } = endingOf(error);
    code = exitCode;
    err += message;
  }
  return { code, out, err };
}

describe("what can't be meant exits 2", () => {
  test.each([
    [["call"], /Name a server/],
    [["call", "--", "node"], /Name the tool before --/],
    [["call", "URL"], /Name the tool after the URL/],
    [["call", "URL", "add", "a=x"], /Argument a: "x" is not a number/],
    [["call", "URL", "add"], /needs an argument more:\n {2}a=…/],
    [["call", "URL", "sub"], /no tool "sub"\. It has: add, echo/],
    [["call", "URL", "add", "--nope"], /unknown option '--nope'/],
    [["call", "URL", "add", "a=1", "--timeout", "soon"], /--timeout takes seconds/],
    [["call", "URL", "add", "a=1", "--answers", "/none.json"], /none\.json can't be read/],
    [["list", "URL", "more"], /too many arguments/],
    [["list", "http://"], /is no URL/],
    [["frobnicate"], /unknown command 'frobnicate'/],
    [[], /Usage: parley/],
  ])("%j", async (args, message) => {
    const { code, out, err } = await run(args.map((arg) => (arg === "URL" ? url : arg)));
    expect(err).toMatch(message);
    expect(out).toBe("");
    expect(code).toBe(2);
  });
});

describe("help", () => {
  test.each([[[]], [["list"]], [["call"]]])("of %j has examples", async (command) => {
    const { code, out } = await run([...command, "--help"]);
    expect(out).toMatch(/Examples:\n {2}parley/);
    expect(code).toBe(0);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect((await run(["help", ...command])).out).toBe(out);
  });

  test("tells the exit codes", async () => {
    const { out } = await run(["call", "--help"]);
    for (const code of [0, 1, 2, 3, 4, 130]) {
      expect(out).toMatch(new RegExp(`^ {2}${String(code)} +\\S`, "m"));
    }
  });

  test("lists the keys command, too", async () => {
    expect((await run(["--help"])).out).toMatch(/^ {2}keys +\S/m);
    expect((await run(["keys", "new"])).out).toMatch(/^\S{43,}\n$/);
  });
});
