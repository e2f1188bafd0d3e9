import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FIXTURE, parley, serveFixture } from "./support/command.js";

/*
 * The command as it is built and started, against a real server. Nobody is at a terminal here.
 */
let url: string;
let stop: () => void;
let folder: string;
beforeAll(async () => {
  ({ url, stop } = await serveFixture());
  folder = await mkdtemp(path.join(tmpdir(), "parley-command-"));
});
afterAll(async () => {
  stop();
  await rm(folder, { recursive: true });
});

async function answersFile(name: string, answers: unknown): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, JSON.stringify(answers));
  return file;
}

/** What a terminal would act on. */
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e\u2066\ufeff]/;

describe("parley list", () => {
  test("shows everything a server offers, over HTTP", async () => {
    const { code, stdout, stderr } = await parley(["list", url]);
    expect(stdout).toContain(`fixture 1.2.3 · ${url}`);
    expect(stdout).toMatch(/^Tools\n {2}add {2}Add two numbers\n {6}Adds a and b\n {6}a \*/m);
    expect(stdout).toMatch(/b {2}a number, default 1$/m);
    expect(stdout).toMatch(/^Prompts\n {2}poem\n/m);
    expect(stdout).toContain("file:///README.md");
    expect(stdout).toContain("log://{day}");
    expect(stdout).not.toMatch(ACTING);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test("shows it over standard streams, and as JSON", async () => {
    const { code, stdout, stderr } = await parley(["list", "--json", "--", "node", FIXTURE]);
    const offer = JSON.parse(stdout) as { tools: { name: string }[]; prompts: unknown[] };
    expect(offer.tools.map(({ name }) => name)).toContain("delete_branch");
    expect(offer.prompts).toHaveLength(1);
    expect(stdout).not.toMatch(ACTING);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });
});

describe("parley call", () => {
  test("prints a tool's text, its arguments read by the schema", async () => {
    expect(await parley(["call", url, "add", "a=1.5", "b=2"])).toEqual({
      code: 0,
      stdout: "3.5\n",
      stderr: "",
    });
  });

  test("takes lists, choices and objects", async () => {
    const words = ["words=a", "words=b", "size=small", 'filter={"year":2026}', "id=007"];
    const { stdout } = await parley(["call", url, "echo", ...words]);
    expect(JSON.parse(stdout)).toEqual({
      words: ["a", "b"],
      size: "small",
      filter: { year: 2026 },
      id: "007",
    });
  });

  test("prints the whole result as JSON, and nothing else on standard output", async () => {
    const { code, stdout } = await parley(["call", url, "hostile", "--json", "--yes", "-v"]);
    expect(JSON.parse(stdout)).toMatchObject({
      content: [{ type: "text" }],
      structuredContent: { said: expect.stringContaining("\u001b[2J") as string },
    });
    expect(stdout).not.toMatch(ACTING);
    expect(code).toBe(0);
  });

  test("lets nothing of a server's act on the terminal", async () => {
    const [done, needed, failed] = await Promise.all([
      parley(["call", url, "hostile", "--yes", "-v"]),
      parley(["call", url, "hostile", "-v"]),
      parley(["call", url, "fail"]),
    ]);
    expect(done.stdout).toContain("done \\x1b[2J");
    expect(needed.stderr).toContain("Really?\\x1b[2J");
    expect(failed.stderr).toContain("No luck today\\x1b[2J");
    for (const { stdout, stderr } of [done, needed, failed]) {
      expect(stdout + stderr).not.toMatch(ACTING);
    }
  });

  test("exits 1 when the tool says it failed", async () => {
    const { code, stdout, stderr } = await parley(["call", url, "fail"]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^fail did not succeed: No luck today/);
  });

  test("exits 1 where there is no server, and says so in one line", async () => {
    const { code, stderr } = await parley(["call", "http://127.0.0.1:1/mcp", "add"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No answer from http:\/\/127\.0\.0\.1:1: ECONNREFUSED\.\n$/);
  });

  test("shows what a server that would not start had to say", async () => {
    const server = ["node", "-e", "console.error('no config\\u001b[2J'); process.exit(3)"];
    const { code, stderr } = await parley(["list", "--", ...server]);
    expect(code).toBe(1);
    expect(stderr).toContain("server: no config\\x1b[2J");
    expect(stderr).not.toMatch(/ {4}at /);
  });
});

describe("answers without a terminal", () => {
  const branch = ["delete_branch", "branch=old"];

  test("come from a file, by the key of the question", async () => {
    const file = await answersFile("both.json", { sure: "accept", why: { reason: "merged" } });
    expect(await parley(["call", url, ...branch, "--answers", file])).toEqual({
      code: 0,
      stdout: "Deleted old: merged\n",
      stderr: "",
    });
  });

  test("are needed: exit 3 names the key and what it takes", async () => {
    const file = await answersFile("half.json", { sure: "accept", wyh: { reason: "merged" } });
    const { code, stdout, stderr } = await parley(["call", url, ...branch, "-a", file]);
    expect(code).toBe(3);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^An answer is needed: delete_branch asks/);
    expect(stderr).toMatch(/why: a form\n {4}Why\?\n {4}- reason \* {2}2 to 80 characters/);
    expect(stderr).toMatch(/also answers "wyh", never asked/);
    expect(stderr).toContain('{"why":{"action":"accept","content":{"reason":"…"}}}');
  });

  test("are needed for all questions of the round, told at once", async () => {
    const { code, stderr } = await parley(["call", url, "both"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/2 answers are needed/);
    expect(stderr).toMatch(/first: a form/);
    expect(stderr).toMatch(/n .*a whole number.*\(default 7\)/);
    expect(stderr).toMatch(/second: a form/);
  });

  test("that do not fit are needed, too", async () => {
    const file = await answersFile("short.json", { sure: "accept", why: { reason: "x" } });
    const { code, stderr } = await parley(["call", url, ...branch, "-a", file]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/"why" does not fit: reason: has to have at least 2 characters/);
  });

  test("may say no: exit 4", async () => {
    const file = await answersFile("no.json", { sure: "decline" });
    const other = await answersFile("cancel.json", { sure: { action: "cancel" } });
    const [declined, cancelled] = await Promise.all([
      parley(["call", url, ...branch, "-a", file]),
      parley(["call", url, ...branch, "-a", other]),
    ]);
    expect(declined.stderr).toMatch(/declined 'sure'/);
    expect([declined.code, cancelled.code]).toEqual([4, 4]);
  });

  test("--yes accepts what needs nothing but a yes, and no more", async () => {
    const { code, stderr } = await parley(["call", url, ...branch, "--yes"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/why: a form/);
    expect(stderr).not.toMatch(/sure: a form/);
  });

  test("--yes never agrees to a page", async () => {
    const page = ["sign_in", "url=https://example.com/login"];
    const { code, stderr } = await parley(["call", url, ...page, "--yes"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /login: a link\n {4}Sign in to go on\n {4}https:\/\/example\.com\/login/,
    );
    const file = await answersFile("login.json", { login: "accept" });
    expect((await parley(["call", url, ...page, "-a", file])).stdout).toBe("Signed in.\n");
  });

  test("-v shows each round: ids, questions, state, time", async () => {
    const file = await answersFile("verbose.json", { sure: "accept", why: { reason: "merged" } });
    const { stderr } = await parley(["call", url, ...branch, "-v", "-a", file]);
    const rounds = stderr.trimEnd().split("\n");
    expect(rounds).toHaveLength(3);
    expect(rounds[0]).toMatch(
      /^round 1 · id \d+ · asks sure \(form\) · state \d+ characters · took \d+ ms/,
    );
    expect(rounds[1]).toMatch(/^round 2 · id \d+ · asks why \(form\) · state \d+ characters/);
    expect(rounds[2]).toMatch(/^round 3 · id \d+ · complete · no state/);
    expect(new Set(rounds.map((round) => /id (\d+)/.exec(round)?.[1])).size).toBe(3);
  });
});

describe("an interrupt", () => {
  test("cancels the call and exits 130", async () => {
    const args = ["call", url, "slow", "steps=1000", "ms=50", "-v"];
    const { code, stderr } = await parley(args, {}, (child) => {
      child.stderr?.once("data", () => child.kill("SIGINT"));
    });
    expect(stderr).toMatch(/progress step 1 \(1 of 1000\)/);
    expect(stderr).toMatch(/Interrupted\.\n$/);
    expect(code).toBe(130);
  });
});

describe("the process", () => {
  test("exits 2 for words it does not understand, and says which", async () => {
    const { code, stdout, stderr } = await parley(["call", url, "add", "--nope"]);
    expect(stderr).toMatch(/unknown option '--nope'/);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("says its version", async () => {
    const { code, stdout } = await parley(["--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(code).toBe(0);
  });

  test("prints a stack trace where it is asked to, by option or by environment", async () => {
    const failing = ["call", "http://127.0.0.1:1/mcp", "add"];
    const [byOption, byVariable] = await Promise.all([
      parley([...failing, "--debug"]),
      parley(failing, { PARLEY_DEBUG: "1" }),
    ]);
    expect(byOption.stderr).toMatch(/\n {4}at /);
    expect(byVariable.stderr).toMatch(/\n {4}at /);
  });
});
