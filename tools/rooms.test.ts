import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { ESLint } from "eslint";
import { beforeAll, describe, expect, test } from "vitest";
import { type Import, findCycle, importsBelow } from "./import-graph.js";
import { ROOMS, ROWS, mayImport } from "./rooms.js";

const root = path.join(import.meta.dirname, "..");
const source = path.join(root, "packages/mcp-parley/src");
const roomOf = (file: string): string => path.relative(source, file).split(path.sep)[0] ?? "";

/** The project's own lint, down to its import rules: they need no type information. */
const eslint = new ESLint({
  cwd: root,
  ruleFilter: ({ ruleId }) => ruleId.startsWith("import-x/"),
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
});

async function lint(file: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: path.join(source, file) });
  return (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
}

let imports: readonly Import[];
beforeAll(() => {
  imports = importsBelow(source);
});

describe("the table of rooms", () => {
  test("every folder of the sources is a room, and no source file stands outside one", () => {
    for (const entry of readdirSync(source, { withFileTypes: true })) {
      expect(ROOMS, `packages/mcp-parley/src/${entry.name}`).toContain(entry.name);
      expect(entry.isDirectory(), entry.name).toBe(true);
    }
  });

  test("every import of the sources, types included, follows it", () => {
    expect(imports.length).toBeGreaterThan(0);
    const against = imports.filter(({ from, to }) => !mayImport(roomOf(from)).includes(roomOf(to)));
    expect(against).toEqual([]);
  });

  test("no import of the sources, types included, closes a cycle", () => {
    expect(findCycle(imports)).toBeUndefined();
  });
});

describe("the documents", () => {
  const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

  test("CONTRIBUTING.md shows the table row by row", () => {
    const rows = [...read("CONTRIBUTING.md").matchAll(/^\| \d +\| (.+?) *\|$/gm)];
    expect(rows.map(([, rooms]) => rooms)).toEqual(
      ROWS.map((row) => row.map((room) => `\`${room}\``).join(", ")),
    );
  });

  test("docs/architecture.md pictures every room, row by row", () => {
    const [picture = ""] = /```mermaid[^]+?```/.exec(read("docs/architecture.md")) ?? [];
    const rows = picture.split("subgraph").slice(1);
    const roomsOf = (row: string) => [...row.matchAll(/<b>(\w+)<\/b>/g)].map(([, room]) => room);
    expect(rows.map(roomsOf)).toEqual(ROWS);
  });
});

describe("the lint", () => {
  // A real file of each kind to aim an import at, so that the resolver has something to find.
  const target = (room: string): string => {
    const file = readdirSync(path.join(source, room)).find((name) => name.endsWith(".ts"));
    return `../${room}/${file?.replace(/\.ts$/, ".js") ?? ""}`;
  };

  test.each([
    ["protocol", "state"],
    ["store", "ledger"],
    ["state", "flow"],
    ["flow", "server"],
  ])("reports an arrow from %s to %s", async (from, to) => {
    expect(await lint(`${from}/virtual.ts`, `import ${JSON.stringify(target(to))};`)).toEqual([
      "import-x/no-restricted-paths",
    ]);
    expect(
      await lint(`${from}/virtual.ts`, `await import(${JSON.stringify(target(to))});`),
    ).toEqual(["import-x/no-restricted-paths"]);
  });

  test("reports an arrow that only carries types", async () => {
    const text = `import type { X } from ${JSON.stringify(target("state"))};`;
    expect(await lint("protocol/virtual.ts", text)).toEqual(["import-x/no-restricted-paths"]);
  });

  test.each([
    ["ledger", "store"],
    ["flow", "state"],
    ["entry", "server"],
  ])("allows an arrow from %s to %s", async (from, to) => {
    expect(await lint(`${from}/virtual.ts`, `import ${JSON.stringify(target(to))};`)).toEqual([]);
  });

  test("reports a package that the library does not depend on", async () => {
    expect(await lint("protocol/virtual.ts", 'import "zod";')).toEqual([
      "import-x/no-extraneous-dependencies",
    ]);
    expect(await lint("protocol/virtual.ts", 'import "eventsource-parser";')).toEqual([]);
  });

  test("reports a cycle", async () => {
    const edge = imports.find(({ from, to, typeOnly }) => !typeOnly && roomOf(from) === roomOf(to));
    if (edge === undefined) throw new Error("no import within a room to turn around");
    const file = path.relative(source, edge.to);
    const text = readFileSync(edge.to, "utf8");
    const back = `./${path.relative(path.dirname(edge.to), edge.from).replace(/\.ts$/, ".js")}`;
    expect(await lint(file, text)).toEqual([]);
    expect(await lint(file, `import ${JSON.stringify(back)};\n${text}`)).toEqual([
      "import-x/no-cycle",
    ]);
  });
});

describe("silenced lint", () => {
  const ruleOf = async (text: string): Promise<string[]> => {
    const everyRule = new ESLint({
      cwd: root,
      ruleFilter: ({ ruleId }) => !ruleId.startsWith("@typescript-eslint/"),
      overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    });
    const [result] = await everyRule.lintText(text, {
      filePath: path.join(source, "protocol/v.ts"),
    });
    return (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message);
  };

  test("needs its reason beside it", async () => {
    expect(await ruleOf("// eslint-disable-next-line eqeqeq\nexport default 1 == 2;\n")).toEqual([
      "@eslint-community/eslint-comments/require-description",
    ]);
    expect(
      await ruleOf("// eslint-disable-next-line eqeqeq -- for the test\nexport default 1 == 2;\n"),
    ).toEqual([]);
  });

  test("is itself reported where it silences nothing", async () => {
    expect(await ruleOf("// eslint-disable-next-line eqeqeq -- why\nexport default 1;\n")).toEqual([
      expect.stringContaining("Unused eslint-disable directive"),
    ]);
  });
});
