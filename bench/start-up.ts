import { execFileSync } from "node:child_process";
import { hrtime } from "node:process";

/** Time from starting a process to a server with one tool in it, in ms, over all repetitions. */
export interface StartUp {
  readonly node: number[];
  readonly parley: number[];
  readonly official: number[];
}

const PARLEY = `
  import { createMcpServer, text } from "mcp-parley";
  import { toNodeHandler } from "mcp-parley/node";
  const server = createMcpServer({ name: "bench", version: "1" }, { log: false });
  server.tool("one", {}, () => text("done"));
  toNodeHandler(server);`;

const OFFICIAL = `
  import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
  import { toNodeHandler } from "@modelcontextprotocol/node";
  toNodeHandler(createMcpHandler(() => {
    const server = new McpServer({ name: "bench", version: "1" });
    server.registerTool("one", {}, () => ({ content: [] }));
    return server;
  }));`;

function started(program: string): number {
  const before = hrtime.bigint();
  execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: import.meta.dirname,
    stdio: "ignore",
  });
  return Number(hrtime.bigint() - before) / 1e6;
}

export function startUp(repetitions: number): StartUp {
  const measured: StartUp = { node: [], parley: [], official: [] };
  for (let repetition = -1; repetition < repetitions; repetition += 1) {
    const figures = [started(""), started(PARLEY), started(OFFICIAL)] as const;
    if (repetition < 0) continue; // the first brings the files into memory
    measured.node.push(figures[0]);
    measured.parley.push(figures[1]);
    measured.official.push(figures[2]);
  }
  return measured;
}
