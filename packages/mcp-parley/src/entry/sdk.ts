/**
 * Parley inside a server of the official SDK, `@modelcontextprotocol/server` 2.x.
 */
export { createParley } from "../sdk/parley.js";
export type { Parley } from "../sdk/parley.js";
export type { SdkResult } from "../sdk/result.js";
export type { SdkFlowOptions, SdkOptions } from "../sdk/options.js";
