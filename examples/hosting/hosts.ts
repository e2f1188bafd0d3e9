import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { type Rolldown, build } from "vite";

const built = path.join(import.meta.dirname, "../dist/hosting");
const next = path.join(import.meta.dirname, "../../node_modules/next/dist/bin/next");

/** A host that is running, started as its reader would start it. */
export interface Host {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts an example as the build leaves it. */
export function startNode(name: string): Promise<Host> {
  return startProcess([path.join(built, `${name}.js`)]);
}

/** Starts the Next.js app as `next dev` does. */
export function startNext(): Promise<Host> {
  const folder = path.join(built, "nextjs");
  return startProcess([next, "dev", folder, "--port", "0", "--hostname", "127.0.0.1"]);
}

async function startProcess(args: string[]): Promise<Host> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: "0", NEXT_TELEMETRY_DISABLED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const over = once(child, "close");
  const port = await portOf(child);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      child.kill();
      await over;
    },
  };
}

function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (piece: Buffer): void => {
      said += piece.toString();
      const port = /(?:port: |127\.0\.0\.1:)(?<port>\d+)/.exec(said)?.groups?.["port"];
      if (port !== undefined) resolve(port);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("exit", () => reject(new Error(`It ended before it served:\n${said}`)));
  });
}

/** The worker in Cloudflare's own runtime, as Wrangler would bundle and run it. */
export async function startWorker(
  keys: string,
): Promise<Host & { restart(keys: string): Promise<void> }> {
  const script = await bundle(path.join(built, "worker.js"));
  const options = (PARLEY_KEYS: string, port = 0): MiniflareOptions => ({
    modules: true,
    script,
    compatibilityDate: "2026-04-01",
    compatibilityFlags: ["nodejs_compat"],
    bindings: { PARLEY_KEYS },
    host: "127.0.0.1",
    port,
  });
  const worker = new Miniflare(options(keys));
  const at = new URL("/mcp", await worker.ready);
  return {
    url: at.href,
    restart: (others) => worker.setOptions(options(others, Number(at.port))),
    stop: () => worker.dispose(),
  };
}

async function bundle(entry: string): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, target: "webworker", resolve: { conditions: ["workerd", "worker"] } },
    build: { ssr: entry, write: false, rolldownOptions: { external: /^node:/ } },
  })) as Rolldown.RolldownOutput;
  return output[0].code;
}
