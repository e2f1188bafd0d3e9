import { readFileSync } from "node:fs";
import path from "node:path";

const library = path.join(import.meta.dirname, "../packages/mcp-parley");

/** A published entry of the library. */
export interface Entry {
  /** As users import it: "mcp-parley/node". */
  readonly specifier: string;
  /** The source file it is built from. */
  readonly source: string;
  /** The file it is published as. */
  readonly built: string;
}

/** Every entry the library's manifest publishes. */
export function libraryEntries(): Entry[] {
  const manifest = JSON.parse(readFileSync(path.join(library, "package.json"), "utf8")) as {
    exports: Record<string, string | { default: string }>;
  };
  return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    if (typeof target === "string") return [];
    const source = target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts");
    return {
      specifier: path.posix.join("mcp-parley", subpath),
      source: path.join(library, source),
      built: path.join(library, target.default),
    };
  });
}

/** Vitest aliases that answer each entry with its source. */
export function sourceAliases(): { find: RegExp; replacement: string }[] {
  return libraryEntries().map(({ specifier, source }) => ({
    find: new RegExp(`^${specifier}$`),
    replacement: source,
  }));
}
