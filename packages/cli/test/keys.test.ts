import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CommanderError } from "commander";
import { keyFile, keyRing } from "mcp-parley/keys";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keysCommand } from "../src/keys.js";

const MINUTE = 60_000;

let folder: string;
let file: string;
let time: number;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "parley-cli-keys-"));
  file = path.join(folder, "keys.json");
  time = Date.UTC(2027, 0, 1);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs `parley keys` with these words. */
function parleyKeys(...words: string[]): { out: string; err: string; code: number } {
  let out = "";
  let err = "";
  const command = keysCommand(() => time);
  for (const each of [command, ...command.commands]) {
    each.exitOverride().configureOutput({
      writeOut: (text) => (out += text),
      writeErr: (text) => (err += text),
    });
  }
  try {
    command.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { out, err, code: error.exitCode };
  }
  return { out, err, code: 0 };
}

const at = (ms: number): string => new Date(time + ms).toISOString();
const secrets = (): string[] =>
  (JSON.parse(readFileSync(file, "utf8")) as { keys: { key?: string }[] }).keys.flatMap(
    ({ key }) => key ?? [],
  );
const listed = (): { id: string; state: string }[] =>
  (JSON.parse(parleyKeys("list", file, "--json").out) as { keys: { id: string; state: string }[] })
    .keys;

describe("parley keys", () => {
  it("prints a new key that a ring takes, another each time", () => {
    const one = parleyKeys("new");
    expect(one).toMatchObject({ err: "", code: 0 });
    expect(one.out).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
    expect(keyRing(one.out).ids.length).toBe(1);
    expect(parleyKeys("new").out).not.toBe(one.out);
  });

  it("makes a key file that only its owner can read, and never a second time", () => {
    const made = parleyKeys("new", file);
    expect(made).toMatchObject({ err: "", code: 0 });
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    const [key] = listed();
    expect(made.out).toContain(key!.id);
    expect(keyRing(keyFile(file)).primary.id).toBe(key!.id);
    const again = parleyKeys("new", file);
    expect([again.code, again.err]).toEqual([
      1,
      `error: ${file} exists. \`parley keys add\` adds a key to it.\n`,
    ]);
  });

  it("takes a file through a rotation, saying each time what comes next and when", () => {
    parleyKeys("new", file);
    const added = parleyKeys("add", file);
    const [old, fresh] = listed();
    expect(added.out).toContain(`From ${at(MINUTE)} on: parley keys promote ${file} ${fresh!.id}`);

    const early = parleyKeys("promote", file, fresh!.id);
    expect(early.code).toBe(1);
    expect(early.err).toContain("An instance that has not read it yet would refuse every state");
    expect(early.err).toContain(at(MINUTE));
    expect(listed().map(({ state }) => state)).toEqual(["primary", "enabled"]);

    time += MINUTE;
    const promoted = parleyKeys("promote", file, fresh!.id.slice(0, 8));
    expect(promoted.out).toContain(`key ${fresh!.id} seals`);
    expect(promoted.out).toContain(
      `From ${at(11 * MINUTE)} on: parley keys disable ${file} ${old!.id}`,
    );

    const tooSoon = parleyKeys("disable", file, old!.id);
    expect(tooSoon.code).toBe(1);
    expect(tooSoon.err).toContain(`Flows whose state was sealed under key ${old!.id}`);
    expect(tooSoon.err).toContain(`until ${at(11 * MINUTE)}`);
    expect(parleyKeys("list", file).out).toContain(`needed until ${at(11 * MINUTE)}`);

    time += 11 * MINUTE;
    expect(parleyKeys("disable", file, old!.id).code).toBe(0);
    expect(listed().map(({ state }) => state)).toEqual(["disabled", "primary"]);
    expect(secrets().length).toBe(1);
  });

  it("does what is unsafe only when told why", () => {
    parleyKeys("new", file);
    parleyKeys("add", file);
    const [old, fresh] = listed();
    expect(parleyKeys("promote", file, fresh!.id, "--force").code).toBe(0);
    expect(parleyKeys("disable", file, fresh!.id, "--leaked").code).toBe(1);
    expect(parleyKeys("disable", file, old!.id, "--leaked").code).toBe(0);
    expect(listed().map(({ state }) => state)).toEqual(["disabled", "primary"]);
  });

  it("counts with the times it is given", () => {
    parleyKeys("new", file, "--life", "2d", "--rollout", "90s");
    const read = JSON.parse(parleyKeys("list", file, "--json").out) as object;
    expect(read).toMatchObject({ longestLife: 2 * 24 * 60 * MINUTE, rollout: 90_000 });
    for (const wrong of ["", "0s", "10", "5 m", "-1h", "1w", "1e3s"]) {
      const refused = parleyKeys("new", path.join(folder, "other"), "--life", wrong);
      expect([wrong, refused.code]).toEqual([wrong, 1]);
      expect(refused.err).toContain("90s, 10m, 2h or 3d");
    }
  });

  it("lists keys without their secrets", () => {
    parleyKeys("new", file);
    parleyKeys("add", file);
    const [old, fresh] = listed();
    const { out, err } = parleyKeys("list", file);
    expect(out.split("\n")).toEqual([
      `${old!.id}  primary   added ${at(0)}  seals`,
      `${fresh!.id}  enabled   added ${at(0)}  may seal from ${at(MINUTE)}`,
      "",
    ]);
    expect(err).toBe("");
    for (const secret of secrets()) {
      expect(out + parleyKeys("list", file, "--json").out).not.toContain(secret);
    }
    parleyKeys("disable", file, fresh!.id);
    expect(parleyKeys("list", file).out).toContain(`disabled  added ${at(0)}  disabled ${at(0)}`);
  });

  it.runIf(process.platform !== "win32")("warns of a file that others can read", () => {
    parleyKeys("new", file);
    chmodSync(file, 0o640);
    expect(parleyKeys("list", file).err).toContain("chmod 600");
  });

  it.each([
    ["add", []],
    ["promote", ["0"]],
    ["disable", ["0"]],
    ["list", []],
  ])("%s says what is wrong with a file in one line, and quotes nothing of it", (word, more) => {
    const missing = parleyKeys(word, file, ...more);
    expect(missing.code).toBe(1);
    expect(missing.err).toMatch(/^error: ENOENT.*\n$/);
    writeFileSync(file, "my passphrase");
    const broken = parleyKeys(word, file, ...more);
    expect(broken.code).toBe(1);
    expect(broken.err).toMatch(/^error: This is no key file.*\n$/);
    expect(broken.err).not.toContain("passphrase");
  });

  it("does not know an id that is not there", () => {
    parleyKeys("new", file);
    expect(parleyKeys("promote", file, "zzzz")).toMatchObject({
      code: 1,
      err: expect.stringContaining("zzzz") as unknown,
    });
  });
});
