// Lets the referee start on Node 20: `node --import ./conformance/preload.mjs <referee>/dist/index.js …`.
// Its bundle imports `globSync` from "fs", which Node has from 22 on, for a sub-command never run here.
// Only that import of that file is answered differently; everything else loads as it always does.
import * as fs from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

const REFEREE = "/@modelcontextprotocol/conformance/dist/index.js";
const FS_WITH_GLOB = "parley-referee:fs";

if (isMainThread && !("globSync" in fs)) register(import.meta.url);

/** @type {import("node:module").ResolveHook} */
export function resolve(specifier, context, next) {
  const isShimmed = /^(node:)?fs$/.test(specifier) && context.parentURL?.endsWith(REFEREE) === true;
  return isShimmed ? { url: FS_WITH_GLOB, shortCircuit: true } : next(specifier, context);
}

/** @type {import("node:module").LoadHook} */
export function load(url, context, next) {
  if (url !== FS_WITH_GLOB) return next(url, context);
  const source = [
    'export * from "node:fs";',
    'export { default } from "node:fs";',
    'export const globSync = () => { throw new Error("globSync needs Node 22"); };',
  ].join("\n");
  return { format: "module", source, shortCircuit: true };
}
