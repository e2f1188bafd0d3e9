import type { FlowParts } from "./parts.js";

/**
 * The key under which options carry time and randomness of a rehearsal. Only `mcp-parley/testing`
 * has it: nothing an author can write weakens them.
 */
export const INSTRUMENTS: unique symbol = Symbol("parley instruments");

/** Time and randomness, where they are not the system's. */
export type Instruments = Partial<Pick<FlowParts, "clock" | "random">>;
