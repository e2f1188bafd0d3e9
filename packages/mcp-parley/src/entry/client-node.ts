// The client on Node: the same as client.ts, over pooled connections.
import type { Client } from "../client/client.js";
import { limitsFrom } from "../client/limits.js";
import { openClient } from "../client/open.js";
import { withAccess } from "../transport/client/headers.js";
import { endpoint } from "../transport/client/http.js";
import { dispatchLink } from "../transport/client/http-dispatch.js";
import { nodeHttpLink } from "../transport/client/http-node.js";
import type { ConnectOptions } from "./client.js";

export * from "./client.js";

/** {@link connect} of client.ts, over connections that are kept alive and used again. */
export async function connect(url: string | URL, options: ConnectOptions = {}): Promise<Client> {
  const { responseSize } = limitsFrom(options.limits);
  const access = options.authorization?.accessTo(endpoint(url).href);
  const headers = withAccess(options.headers, access);
  const { dispatcher } = options;
  const over = { url, headers, responseSize, prover: access?.prover };
  const link = dispatcher === undefined ? nodeHttpLink(over) : dispatchLink(over, dispatcher);
  return openClient(link, options, undefined, access);
}
