import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const folder = path.join(import.meta.dirname, "../../../../docs");
const attacks = path.join(import.meta.dirname, "../security");
const text = readFileSync(path.join(folder, "security.md"), "utf8");

interface Named {
  readonly file: string;
  readonly name: string;
}

/** Every "[file](path): "name of a test"" of the page; several names may follow one file. */
const named: Named[] = [...text.matchAll(/\[[^\]]+\]\((\.\.[^)]+\.test\.ts)\):\s+"([^"]+)"/g)].map(
  ([, file = "", name = ""]) => ({ file, name }),
);

/** The tables of attacks: one for each file, the test's name in the last column. */
const attacked: Named[] = text
  .split(/^###? /m)
  .filter((section) => section.includes("| the attack"))
  .flatMap((section) => {
    const [, file = ""] = /^\[[^\]]+\]\((\.\.[^)]+\.test\.ts)\)$/m.exec(section) ?? [];
    return [...section.matchAll(/\| "([^"]+)"\s*\|$/gm)].map(([, name = ""]) => ({ file, name }));
  });

/** The names of a file's tests, as they are written. */
function testsOf(file: string): string[] {
  const source = readFileSync(path.join(attacks, file), "utf8");
  return [...source.matchAll(/(?:\bit\(|\bit\.each\(\w+\)\(|\]\)\(|\)\)\()\s*"([^"]+)",\s/g)].map(
    ([, name = ""]) => name,
  );
}

describe("docs/security.md", () => {
  it("names a test for each sentence of the requirements", () => {
    expect(named.length).toBeGreaterThanOrEqual(10);
  });

  it.each([...named, ...attacked])("names a test that exists: $name", ({ file, name }) => {
    const source = path.join(folder, file);
    expect(existsSync(source)).toBe(true);
    expect(readFileSync(source, "utf8")).toContain(`"${name}"`);
  });

  const files = readdirSync(attacks).filter((file) => file.endsWith(".test.ts"));

  it.each(files)("lists every attack that %s tries", (file) => {
    const listed = attacked.filter((each) => each.file.endsWith(`/security/${file}`));
    const tried = testsOf(file).filter((name) => name !== "%s");
    expect(tried.length).toBeGreaterThan(0);
    expect(listed.map(({ name }) => name).sort()).toEqual([...new Set(tried)].sort());
  });
});
