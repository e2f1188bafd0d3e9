export { type Serving, type ServeOptions, serve } from "../transport/serve-node.js";
export {
  type NodeHandler,
  type NodeHandlerOptions,
  toNodeHandler,
} from "../transport/node-http.js";
export type { Authenticate, HeaderReader, HttpHead, Refusal } from "../auth/authenticate.js";
export type { HttpOptions } from "../transport/http-policy.js";
export type { Logger } from "../flow/options.js";
export type { Dispatcher } from "../server/context.js";
export type { Principal } from "../state/principal.js";
