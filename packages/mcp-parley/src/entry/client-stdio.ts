import type { Client } from "../client/client.js";
import { limitsFrom } from "../client/limits.js";
import { type ClientOptions, openClient } from "../client/open.js";
import type { StdioServer } from "../transport/client/process.js";
import { stdioLink } from "../transport/client/stdio.js";

export type { StdioServer } from "../transport/client/process.js";

/**
 * Starts a server as a process, speaks with it over its standard streams, and asks it what it is.
 * A process that ends is started again for the next request. Rejects as `connect` does; close the
 * client to end the process. On Windows name a program that needs no shell (`node`, not `npx`).
 */
export async function connectStdio(
  server: StdioServer,
  options: ClientOptions = {},
): Promise<Client> {
  const { responseSize } = limitsFrom(options.limits);
  return openClient(stdioLink(server, responseSize), options);
}
