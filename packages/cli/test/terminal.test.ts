import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveFixture } from "./support/command.js";
import { KEYS, hasTerminal, parleyAtTerminal } from "./support/terminal.js";

/*
 * The command at a real pseudo-terminal, its screen read as a person reads it.
 */
const { enter, escape, down, up, space, backspace, interrupt } = KEYS;

let url: string;
let stop: () => void;
let folder: string;
beforeAll(async () => {
  ({ url, stop } = await serveFixture());
  folder = await mkdtemp(path.join(tmpdir(), "parley-terminal-"));
});
afterAll(async () => {
  stop();
  await rm(folder, { recursive: true });
});

describe.skipIf(!hasTerminal)("at a terminal", () => {
  test("a plain yes is asked for, with the server, the tool and both ways out in sight", async () => {
    const at = parleyAtTerminal(["call", url, "delete_branch", "branch=old"]);
    await at.until("◆  Your answer");
    expect(at.screen).toContain("delete_branch asks you something");
    expect(at.screen).toContain(`from ${url} (calls itself "fixture")`);
    expect(at.screen).toMatch(/Delete old\?[^]*● Yes\n│ {2}○ Decline\n│ {2}○ Cancel/);
    await at.type("Your answer", down, enter);
    expect(await at.exit).toBe(4);
    expect(at.screen).toContain("The user declined 'sure'");
  });

  test("a form is filled in, checked in place, reviewed, changed and sent", async () => {
    const at = parleyAtTerminal(["call", url, "order"]);
    await at.type(/Your name \*/, "A", enter);
    await at.type("Has to have at least 2 characters", "da", enter);
    await at.type(/◆ {2}email/, "nobody", enter);
    await at.type(
      "Has to be an email address",
      ...Array.from({ length: 6 }, () => backspace),
      enter,
    );
    await at.type(/◆ {2}pizzas\n.*whole number, 1 to 9\n│ {2}2/, backspace, "x", enter);
    await at.type("Has to be a number", backspace, "3", enter);
    await at.type(/◆ {2}size\n[^]*● medium/, down, enter);
    await at.type(/◆ {2}extras/, space, down, space, down, space, enter);
    await at.type(/Has to have at most 2 choices[^]*◆ {2}extras/, space, enter);
    await at.type(/◆ {2}knock\n[^]*● Yes/, down, enter);
    await at.until("◆  What now?");
    expect(at.screen).toMatch(/Your name {2}Ada\n│ {2}email {6}left out\n│ {2}pizzas {5}3\n/);
    expect(at.screen).toMatch(/size {7}large\n│ {2}extras {5}onions, cheese\n│ {2}knock {6}No\n/);
    await at.type(/● Send this/, down, enter);
    await at.type(/◆ {2}Your name \*\n.*\n│ {2}Ada/, " L", enter);
    await at.type(/Your name {2}Ada L\n[^]*◆ {2}What now\?/, enter);
    expect(await at.exit).toBe(0);
    const sent = /^\{.*\}/m.exec(at.screen)?.[0] ?? "";
    expect(JSON.parse(sent)).toEqual({
      name: "Ada L",
      pizzas: 3,
      size: "large",
      extras: ["onions", "cheese"],
      knock: false,
    });
  });

  test("Escape leads from a field to the ways out, and what is missing is said", async () => {
    const at = parleyAtTerminal(["call", url, "order"]);
    await at.type(/◆ {2}Your name/, escape);
    await at.until("◆  What now?");
    expect(at.screen).toMatch(/Your name {2}is required/);
    expect(at.screen).toMatch(/● Go on filling in/);
    expect(at.screen).not.toMatch(/Send this/);
    await at.type("○ Cancel", up, up, enter);
    expect(await at.exit).toBe(4);
    expect(at.screen).toContain("Declined.");
  });

  test("an answer that the server sends back need not be typed again", async () => {
    const at = parleyAtTerminal(["call", url, "order"]);
    await at.type(/◆ {2}Your name/, "Ada", enter);
    await at.type(/◆ {2}email/, "a@b.c", enter); // fits the form's format, and not the server's own
    await at.type(/◆ {2}pizzas/, escape);
    await at.type(/● Send this/, enter);
    await at.until(/does not fit\. email: .*\n[^]*round 2|round 2[^]*does not fit\. email:/);
    await at.type(/round 2[^]*◆ {2}Your name \*\n.*\n│ {2}Ada/, interrupt);
    expect(await at.exit).toBe(130);
  });

  test("Ctrl-C ends the command, and nothing is sent", async () => {
    const at = parleyAtTerminal(["call", url, "delete_branch", "branch=old", "-v"]);
    await at.type("◆  Your answer", interrupt);
    expect(await at.exit).toBe(130);
    expect(at.screen).toContain("Interrupted.");
    expect(at.screen).not.toContain("round 2");
  });

  test("a page is opened only after a yes, its whole address shown", async () => {
    const opened = path.join(folder, "opened");
    const opener = path.join(folder, process.platform === "darwin" ? "open" : "xdg-open");
    await writeFile(opener, `#!/bin/sh\nprintf %s "$*" > '${opened}'\n`);
    await chmod(opener, 0o755);
    const page = "https://example.com/login?next=$(touch%20x);&a=b";
    const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    const at = parleyAtTerminal(["call", url, "sign_in", `url=${page}`], env);
    await at.until("◆  Open this page?");
    expect(at.screen).toContain("sign_in asks you to open a page");
    expect(at.screen).toContain(page);
    expect(at.written).toMatch(/https:\/\/(?:\u001b\[\d+m)+example\.com(?:\u001b\[\d+m)+\/login/);
    await expect(readFile(opened, "utf8")).rejects.toThrow("ENOENT");
    await at.type("● Open it in the browser", enter);
    expect(await at.exit).toBe(0);
    expect(await readFile(opened, "utf8")).toBe(page);
  });

  test("a suspicious page comes with a warning, and Enter alone is a no", async () => {
    const at = parleyAtTerminal(["call", url, "sign_in", "url=https://xn--pple-43d.com/"]);
    await at.until("◆  Open this page?");
    expect(at.screen).toMatch(/it reads аpple\.com, and is\s+│\s+xn--pple-43d\.com/);
    await at.type("● Decline", enter);
    expect(await at.exit).toBe(4);
  });

  test("--no-open only shows the address", async () => {
    const at = parleyAtTerminal(["call", url, "sign_in", "url=https://example.com/", "--no-open"]);
    await at.until("◆  Open this page?");
    expect(at.screen).not.toContain("Open it in the browser");
    await at.type("● I open it myself", enter);
    expect(await at.exit).toBe(0);
  });

  test("a server can neither act on the terminal nor pass for a prompt of ours", async () => {
    const at = parleyAtTerminal(["call", url, "hostile"]);
    await at.until(/◆ {2}Col/);
    expect(at.screen).toContain("│  ◆  Send this?");
    expect(at.screen).toMatch(/^│ {2}Really\?\\x1b\[2J/m);
    expect(at.written).not.toMatch(/\u001b\[2J|\u001b\]0|\u009b|\u202e|\u200b/);
    expect(at.screen.split("\n").filter((line) => line.startsWith("◆"))).toHaveLength(1);
    await at.type(/● blue/, enter);
    await at.type(/● Send this/, enter);
    expect(await at.exit).toBe(0);
  });

  test("progress shows while a tool runs", async () => {
    const at = parleyAtTerminal(["call", url, "slow", "steps=40", "ms=25"]);
    await at.until(/slow: step \d+ \(\d+ of 40\)/);
    expect(await at.exit).toBe(0);
    expect(at.screen).toBe("there");
  });
});
