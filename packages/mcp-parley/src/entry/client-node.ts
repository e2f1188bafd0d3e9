// The client on Node: the same as client.ts, over pooled connections.
import type { Client } from "../client/client.js";
import { limitsFrom } from "../client/limits.js";
import { openClient } from "../client/open.js";
import { nodeHttpLink } from "../transport/client-http-node.js";
import type { ConnectOptions } from "./client.js";

export * from "./client.js";

/** {@link connect} of client.ts, over connections that are kept alive and used again. */
export async function connect(url: string | URL, options: ConnectOptions = {}): Promise<Client> {
  const { responseSize } = limitsFrom(options.limits);
  return openClient(nodeHttpLink({ url, headers: options.headers, responseSize }), options);
}
