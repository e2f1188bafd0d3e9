import type { Implementation } from "../protocol/features.js";

/** What a client calls itself unless its host gives it a name. */
export const CLIENT: Implementation = { name: "mcp-parley", version: "0.1.0" };
