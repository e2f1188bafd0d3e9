import { type FetchHandler, toFetchHandler } from "mcp-parley/fetch";
import { makeServer } from "./janitor.js";

interface Env {
  /** Set with `wrangler secret put PARLEY_KEYS`. */
  readonly PARLEY_KEYS: string;
}

let handle: FetchHandler | undefined;

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    // Made by the first request: before it, a worker has no bindings and no randomness.
    handle ??= toFetchHandler(makeServer({ keys: env.PARLEY_KEYS }), {
      allowedHosts: ["localhost", "127.0.0.1"], // and the worker's own names
    });
    return handle(request);
  },
};
