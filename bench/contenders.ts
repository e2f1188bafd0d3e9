import { ServerProcess } from "./server-process.js";

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

/** Ours, by how many other tools are registered and which handler serves. */
export function parley(tools: number, handler: "node" | "fetch" = "node"): Contender {
  return {
    name: `parley, ${handler === "node" ? "" : "fetch handler behind @hono/node-server, "}${String(tools)} other tools`,
    server: "parley",
    env: { BENCH_TOOLS: String(tools), BENCH_HANDLER: handler },
    weight: 0.6,
  };
}

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
