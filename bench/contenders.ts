import { ServerProcess } from "./server-process.js";
import type { HostName } from "./servers/hosts.js";

/** A server to be measured. */
export interface Contender {
  readonly name: string;
  readonly server: string;
  readonly env: Record<string, string>;
  /** How many operations it plays in one repetition, beside the floor's: slow ones play fewer. */
  readonly weight: number;
}

export const FLOOR: Contender = { name: "floor", server: "floor", env: {}, weight: 1 };
export const FLOOR_AEAD: Contender = {
  name: "floor + AEAD",
  server: "floor",
  env: { BENCH_AEAD: "1" },
  weight: 1,
};

/** Ours, by how many other tools are registered and what serves it. */
export function parley(tools: number, host: HostName = "node"): Contender {
  return {
    name: `parley${HOSTED[host]}, ${String(tools)} other tools`,
    server: "parley",
    env: { BENCH_TOOLS: String(tools), BENCH_HOST: host },
    weight: 0.6,
  };
}

const HOSTED: Record<HostName, string> = {
  node: "",
  fetch: ", fetch handler behind @hono/node-server",
  express: " in Express",
  hono: " in Hono",
  fastify: " in Fastify",
};

/** Ours, remembering nothing of what was spent: only to tell the memory of that apart. */
export const WITHOUT_MARKS: Contender = {
  name: "parley, without marks, 0 other tools",
  server: "parley",
  env: { BENCH_MARKS: "none" },
  weight: 0.6,
};

/** The official server with our flows inside its tools. */
export const IN_OFFICIAL: Contender = {
  name: "official SDK with mcp-parley/sdk inside",
  server: "sdk",
  env: {},
  weight: 0.08,
};

/** The official SDK, by how many other tools are registered. */
export function official(tools: number): Contender {
  return {
    name: `official SDK, ${String(tools)} other tools`,
    server: "official",
    env: { BENCH_TOOLS: String(tools) },
    weight: tools > 100 ? 0.02 : 0.08,
  };
}

/** Starts contenders, each in a process of its own. */
export async function start(
  contenders: readonly Contender[],
): Promise<Map<Contender, ServerProcess>> {
  const running = new Map<Contender, ServerProcess>();
  for (const contender of contenders) {
    running.set(contender, await ServerProcess.start(contender.server, contender.env));
  }
  return running;
}
