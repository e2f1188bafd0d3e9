import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/*
 * The packages as npm would publish them, packed from what the last build left in dist/.
 */
const run = promisify(execFile);
const root = path.join(import.meta.dirname, "..");
const published = ["packages/mcp-parley", "packages/cli"];

interface Manifest {
  readonly exports?: Record<string, string | Record<string, string>>;
  readonly bin?: Record<string, string>;
}

interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly manifest: Manifest;
}

let folder: string;
const packed = new Map<string, Packed>();
const packedOf = (name: string): Packed => {
  const found = packed.get(name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "parley-pack-"));
  for (const name of published) {
    const args = ["pack", "--json", "--pack-destination", folder];
    const { stdout } = await run("npm", args, { cwd: path.join(root, name) });
    const [report] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    packed.set(name, {
      tarball: path.join(folder, report.filename),
      files: report.files.map((file) => file.path),
      manifest: JSON.parse(
        await readFile(path.join(root, name, "package.json"), "utf8"),
      ) as Manifest,
    });
  }
}, 60_000);
afterAll(async () => rm(folder, { recursive: true }));

describe.each(published)("%s", (name) => {
  test("holds every file its manifest names", () => {
    const { files, manifest } = packedOf(name);
    const targets = [manifest.exports ?? {}, manifest.bin ?? {}]
      .flatMap((map) => Object.values(map))
      .flatMap((target) => (typeof target === "string" ? target : Object.values(target)));
    expect(targets).not.toEqual([]);
    for (const target of targets) expect(files).toContain(target.replace(/^\.\//, ""));
  });

  test("holds its licence and read-me, and neither tests nor build leftovers", async () => {
    const { files } = packedOf(name);
    expect(files).toContain("LICENSE");
    expect(files).toContain("README.md");
    expect(files.filter((file) => /(^|\/)test\/|\.test\.|tsbuildinfo/.test(file))).toEqual([]);
    const licence = await readFile(path.join(root, name, "LICENSE"), "utf8");
    expect(licence).toBe(await readFile(path.join(root, "LICENSE"), "utf8"));
  });

  test("has nothing publint would say of it", async () => {
    const tarball = await readFile(packedOf(name).tarball);
    const { messages, pkg } = await publint({
      pack: { tarball: new Uint8Array(tarball).buffer },
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });
});

test("the library's types are right for every way of resolving an ES module", async () => {
  const attw = path.join(root, "node_modules/.bin/attw");
  const { tarball } = packedOf("packages/mcp-parley");
  const options = ["--profile", "esm-only", "--no-definitely-typed", "--no-emoji", "--no-color"];
  await expect(run(attw, [tarball, ...options])).resolves.toMatchObject({ stderr: "" });
}, 60_000);
