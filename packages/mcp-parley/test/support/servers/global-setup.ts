import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { stopServer, type Running } from "./run.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where servers live, and the process that they end with. */
    servers: { folder: string; watched: number };
  }
}

/** Gives the servers of a test run a folder, and stops them when it ends. Starts none itself. */
export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-servers-"));
  project.provide("servers", { folder, watched: process.pid });
  return async () => {
    for (const name of ["postgres", "redis"]) {
      const address = path.join(folder, `${name}.json`);
      if (existsSync(address)) {
        await stopServer(JSON.parse(readFileSync(address, "utf8")) as Running);
      }
    }
    rmSync(folder, { recursive: true, force: true });
  };
}
