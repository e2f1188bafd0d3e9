import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { documents, filled } from "./examples-in-docs.js";

describe.each(documents())("%s", (document) => {
  it("shows its examples as their files have them; `npm run docs` fills them in", () => {
    const { text, right } = filled(document);
    expect(text).toBe(right);
  });

  it("links only to what is there", () => {
    const here = path.dirname(path.resolve(import.meta.dirname, "..", document));
    const { text } = filled(document);
    for (const [, target = ""] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^\w+:/.test(target)) continue;
      const file = path.join(here, target);
      expect(() => readFileSync(file), `${document} → ${target}`).not.toThrow(/ENOENT/);
    }
  });
});

it("the README shows every TypeScript block from a file", () => {
  const { text, files } = filled("README.md");
  expect([...text.matchAll(/```ts\n/g)]).toHaveLength(files.length);
  expect(files.length).toBeGreaterThanOrEqual(5);
});

it("the README's promises point at their tests", () => {
  const { text } = filled("README.md");
  const links = [...text.matchAll(/\((packages\S+)#L(\d+)\)/g)];
  expect(links).toHaveLength(4);
  const root = path.resolve(import.meta.dirname, "..");
  for (const [, file = "", line = ""] of links) {
    const lines = readFileSync(path.join(root, file), "utf8").split("\n");
    expect(lines[Number(line) - 1], `${file}#L${line}`).toMatch(/^it\("/);
  }
});
