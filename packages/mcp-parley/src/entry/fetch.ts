export { type FetchHandler, type FetchHandlerOptions, toFetchHandler } from "../transport/fetch.js";
export type { Authenticate, HeaderReader, HttpHead, Refusal } from "../auth/authenticate.js";
export type { HttpOptions } from "../transport/http-policy.js";
export type { Logger } from "../flow/options.js";
export type { Dispatcher } from "../server/context.js";
export type { Principal } from "../state/principal.js";
