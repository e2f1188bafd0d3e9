// For hosts that run at their user's, on Node: a person's way to an authorization server and back.
export { loopback } from "../auth/client/loopback.js";
export type { Loopback, LoopbackOptions } from "../auth/client/loopback.js";
export type { Authorize, AuthorizeRequest } from "../auth/client/code-flow.js";
