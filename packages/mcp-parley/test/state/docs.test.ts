import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const folder = path.join(import.meta.dirname, "../../../../docs");
const text = readFileSync(path.join(folder, "security.md"), "utf8");

/** Every "[file](path): "name of a test"" of the page; several names may follow one file. */
const named = [...text.matchAll(/\[[^\]]+\]\((\.\.[^)]+\.test\.ts)\): "([^"]+)"/g)].map(
  ([, file = "", name = ""]) => ({ file, name }),
);

describe("docs/security.md", () => {
  it("names a test for each sentence of the requirements", () => {
    expect(named.length).toBeGreaterThanOrEqual(10);
  });

  it.each(named)("names a test that exists: $name", ({ file, name }) => {
    const source = path.join(folder, file);
    expect(existsSync(source)).toBe(true);
    expect(readFileSync(source, "utf8")).toContain(`"${name}"`);
  });
});
