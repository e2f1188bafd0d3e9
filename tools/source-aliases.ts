import { readFileSync } from "node:fs";
import path from "node:path";

const library = path.join(import.meta.dirname, "../packages/mcp-parley");

/** Each published entry of the library, with the source file it is built from. */
export function sourceEntries(): { specifier: string; source: string }[] {
  const manifest = JSON.parse(readFileSync(path.join(library, "package.json"), "utf8")) as {
    exports: Record<string, string | { default: string }>;
  };
  return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    if (typeof target === "string") return [];
    const source = target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts");
    return {
      specifier: path.posix.join("mcp-parley", subpath),
      source: path.join(library, source),
    };
  });
}

/** Vitest aliases that answer each published entry with its source. */
export function sourceAliases(): { find: RegExp; replacement: string }[] {
  return sourceEntries().map(({ specifier, source }) => ({
    find: new RegExp(`^${specifier}$`),
    replacement: source,
  }));
}
