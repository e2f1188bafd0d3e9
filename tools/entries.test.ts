import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { reach } from "./import-graph.js";
import { libraryEntries } from "./library-entries.js";

/*
 * What each published entry brings with it: which packages, which modules of Node, how much code.
 * A budget is a promise to whoever installs the library; raise one only on purpose. Bytes are
 * those of the compiled JavaScript it reaches, without comments.
 */
interface Budget {
  readonly packages: readonly string[];
  readonly builtins: readonly string[];
  readonly bytes: number;
}

const BUDGETS: Readonly<Record<string, Budget>> = {
  "mcp-parley": { packages: [], builtins: ["node:crypto"], bytes: 232_000 },
  "mcp-parley/auth": { packages: ["jose"], builtins: [], bytes: 27_000 },
  // No module of Node's: browsers load it.
  "mcp-parley/client": { packages: ["eventsource-parser"], builtins: [], bytes: 147_500 },
  "mcp-parley/client, node": {
    packages: ["eventsource-parser"],
    builtins: ["node:http", "node:https", "node:url"],
    bytes: 158_000,
  },
  // No module of Node's: browsers load it.
  "mcp-parley/client/auth": { packages: ["oauth4webapi"], builtins: [], bytes: 52_000 },
  "mcp-parley/client/loopback": { packages: [], builtins: ["node:http"], bytes: 4_000 },
  "mcp-parley/client/stdio": {
    packages: ["eventsource-parser"],
    builtins: ["node:child_process"],
    bytes: 142_000,
  },
  "mcp-parley/fetch": { packages: [], builtins: [], bytes: 46_000 },
  "mcp-parley/json-schema": {
    packages: ["ajv", "ajv/dist/2020.js", "re2js"],
    builtins: [],
    bytes: 24_000,
  },
  "mcp-parley/keys": {
    packages: [],
    builtins: ["node:crypto", "node:fs", "node:fs/promises", "node:path"],
    bytes: 26_000,
  },
  "mcp-parley/node": { packages: [], builtins: ["node:http"], bytes: 53_000 },
  "mcp-parley/otel": {
    packages: ["@opentelemetry/api"],
    builtins: ["node:crypto"],
    bytes: 16_000,
  },
  "mcp-parley/stdio": { packages: [], builtins: [], bytes: 28_000 },
  "mcp-parley/sdk": {
    packages: ["@modelcontextprotocol/server"],
    builtins: ["node:crypto"],
    bytes: 190_000,
  },
  // None of a driver's packages: the caller brings the client.
  "mcp-parley/sqlite": { packages: [], builtins: [], bytes: 15_000 },
  "mcp-parley/redis": { packages: [], builtins: ["node:crypto"], bytes: 18_000 },
  "mcp-parley/postgres": { packages: [], builtins: [], bytes: 25_000 },
  "mcp-parley/testing": { packages: [], builtins: ["node:assert", "node:crypto"], bytes: 170_000 },
};

let program: ts.Program;
beforeAll(() => {
  program = compile();
}, 120_000);

describe.each(libraryEntries())("$specifier, $condition", ({ specifier, condition, ...files }) => {
  const { source, built } = files;
  const label = condition === "default" ? specifier : `${specifier}, ${condition}`;

  test("exports only what has a doc comment", () => {
    expect(undocumented(source)).toEqual([]);
  });

  test("stays within its budget", () => {
    expect(existsSync(built), `${built} is missing: build first`).toBe(true);
    const budget = BUDGETS[label];
    if (budget === undefined) throw new Error(`${label} has no budget in tools/entries.test.ts`);
    const { files, bare } = reach(built);
    const builtins = bare.filter(
      (name) => name.startsWith("node:") || builtinModules.includes(name),
    );
    expect(builtins.filter((name) => !budget.builtins.includes(name))).toEqual([]);
    expect(
      bare.filter((name) => !builtins.includes(name) && !budget.packages.includes(name)),
    ).toEqual([]);
    expect(files.reduce((sum, file) => sum + sizeOf(file), 0)).toBeLessThanOrEqual(budget.bytes);
  });
});

function sizeOf(file: string): number {
  const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), {
    compilerOptions: { target: ts.ScriptTarget.ESNext, removeComments: true },
  });
  return Buffer.byteLength(outputText);
}

/** The names an entry exports without saying what they promise. */
function undocumented(entry: string): string[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${entry} exports nothing`);
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    return symbol.getDocumentationComment(checker).length > 0 ? [] : [exported.name];
  });
}

function compile(): ts.Program {
  const folder = path.join(import.meta.dirname, "../packages/mcp-parley");
  const file = path.join(folder, "tsconfig.json");
  const { config } = ts.readConfigFile(file, (name) => readFileSync(name, "utf8")) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const sources = libraryEntries().map(({ source }) => source);
  return ts.createProgram(sources, options);
}
