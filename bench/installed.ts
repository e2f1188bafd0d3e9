import { readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** What installing a package brings. */
export interface Installed {
  readonly packages: number;
  readonly bytes: number;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

/** The size of packages with all that they depend on, as they lie here; optional peers left out. */
export function installed(...names: readonly string[]): Installed {
  const seen = new Map<string, number>();
  const visit = (name: string, from: string): void => {
    const folder = folderOf(name, from);
    if (seen.has(folder)) return;
    const manifest = JSON.parse(
      readFileSync(path.join(folder, "package.json"), "utf8"),
    ) as Manifest;
    seen.set(folder, sizeOf(folder, manifest));
    for (const dependency of Object.keys(manifest.dependencies ?? {})) visit(dependency, folder);
  };
  for (const name of names) visit(name, import.meta.dirname);
  return { packages: seen.size, bytes: [...seen.values()].reduce((sum, size) => sum + size, 0) };
}

function folderOf(name: string, from: string): string {
  const looked = createRequire(path.join(from, "index.js")).resolve.paths(name) ?? [];
  for (const place of looked) {
    const folder = path.join(place, name);
    if (statSync(path.join(folder, "package.json"), { throwIfNoEntry: false })) return folder;
  }
  throw new Error(`${name} is not installed`);
}

/** Ours lies here with its sources and tests around it: what is published counts. */
function sizeOf(folder: string, { files }: Manifest): number {
  const isWorkspace = statSync(path.join(folder, "tsconfig.json"), { throwIfNoEntry: false });
  if (isWorkspace === undefined || files === undefined) return sizeBelow(folder);
  const listed = files.filter((file) => !file.startsWith("!"));
  return listed.reduce((sum, file) => sum + sizeBelow(path.join(folder, file)), 0);
}

function sizeBelow(folder: string): number {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name === ".tsbuildinfo") continue;
    const file = path.join(folder, entry.name);
    sum += entry.isDirectory() ? sizeBelow(file) : statSync(file).size;
  }
  return sum;
}
