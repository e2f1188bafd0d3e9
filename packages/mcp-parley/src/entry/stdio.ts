export { type StdioOptions, serveStdio } from "../transport/stdio.js";
export type { Logger } from "../transport/logger.js";
export type { Dispatcher } from "../server/context.js";
export type { Principal } from "../state/principal.js";
