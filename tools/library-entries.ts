import { readFileSync } from "node:fs";
import path from "node:path";

const library = path.join(import.meta.dirname, "../packages/mcp-parley");

/** A published entry of the library, as one runtime loads it. */
export interface Entry {
  /** As users import it: "mcp-parley/node". */
  readonly specifier: string;
  /** The condition it is published under: "default", or the runtime that gets a file of its own. */
  readonly condition: string;
  /** The source file it is built from. */
  readonly source: string;
  /** The file it is published as. */
  readonly built: string;
}

/** Every entry the library's manifest publishes. */
export function libraryEntries(): Entry[] {
  const manifest = JSON.parse(readFileSync(path.join(library, "package.json"), "utf8")) as {
    exports: Record<string, string | Record<string, string>>;
  };
  return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    if (typeof target === "string") return [];
    const { types: _types, ...files } = target;
    return Object.entries(files).map(([condition, file]) => ({
      specifier: path.posix.join("mcp-parley", subpath),
      condition,
      source: path.join(library, file.replace("./dist/", "src/").replace(/\.js$/, ".ts")),
      built: path.join(library, file),
    }));
  });
}

/** Vitest aliases that answer each entry with the source that Node would get: the first that fits. */
export function sourceAliases(): { find: RegExp; replacement: string }[] {
  return libraryEntries().map(({ specifier, source }) => ({
    find: new RegExp(`^${specifier}$`),
    replacement: source,
  }));
}
