export { type StdioOptions, serveStdio } from "../transport/stdio.js";
export type { Logger } from "../flow/options.js";
export type { Dispatcher } from "../server/context.js";
export type { Principal } from "../state/principal.js";
