import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerMetadata } from "../auth/serve-metadata.js";
import { ParleyError } from "../protocol/errors.js";
import type { Dispatcher } from "../server/context.js";
import { positive } from "./http-policy.js";
import { loggerOf } from "./logger.js";
import { type NodeHandlerOptions, nodeHandler } from "./node-http.js";
import { type Timers, systemTimers } from "./timers.js";
import { ignoreUnhandledSuspensions } from "./unhandled.js";

/** Settings of {@link serve}. */
export interface ServeOptions extends Omit<NodeHandlerOptions, "body"> {
  /** The port to listen on; 0 takes any free one. */
  readonly port: number;
  /**
   * The address to listen on. Default: `127.0.0.1`, which only this machine reaches. On any other,
   * set `allowedHosts` and `authenticate`. Specification: basic/transports/streamable-http, Security.
   */
  readonly host?: string;
  /**
   * The path of the endpoint; every other is 404, but those of the metadata that `authenticate` has.
   * Default: `/mcp`.
   */
  readonly path?: string;
  /** How long a client may take to send one request, in milliseconds. Default: 60,000. */
  readonly requestTimeoutMs?: number;
  /** How long requests under way may take to finish once the server is closed, in milliseconds. Default: 5,000. */
  readonly graceMs?: number;
}

/** A server that is listening. */
export interface Serving {
  /** The endpoint, as a client on this machine reaches it. */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more connections, lets requests under way finish within `graceMs`, then cuts them off,
   * which aborts them. Resolves once nothing is left; calling it again changes nothing.
   */
  close(): Promise<void>;
}

/**
 * Serves `server` over HTTP in a process of its own: the shortest way to a running endpoint. Use
 * `toNodeHandler` inside an HTTP server you already have. Rejects where it can't listen, with Node's
 * own error, and with `usage` where a setting can't be meant. Prints nothing but
 * faults.
 *
 * Suspensions nobody awaited no longer end the process; all else that goes unhandled does.
 */
export function serve(server: Dispatcher, options: ServeOptions): Promise<Serving> {
  return serveNode(server, options, systemTimers);
}

/** {@link serve} with timers of the caller's. */
export async function serveNode(
  server: Dispatcher,
  options: ServeOptions,
  timers: Timers,
): Promise<Serving> {
  const { port, host = "127.0.0.1", path = "/mcp" } = options;
  if (!path.startsWith("/") || path.includes("?")) {
    throw new ParleyError("usage", `path must begin with "/" and have no query: ${path}`);
  }
  const graceMs = positive("graceMs", options.graceMs ?? 5_000);
  const requestTimeout = positive("requestTimeoutMs", options.requestTimeoutMs ?? 60_000);
  const handler = nodeHandler(server, options, timers);
  ignoreUnhandledSuspensions();

  const metadata = options.authenticate?.metadata;
  const http = createServer({ requestTimeout }, (request, response) => {
    if (pathOf(request.url ?? "") === path) handler(request, response);
    else if (metadata === undefined || !answerMetadata(metadata, request, response)) {
      response.writeHead(404, { "content-length": 0 }).end();
    }
  });
  await listening(http, port, host);
  const log = loggerOf(options.log);
  http.on("error", (error) => log.error("The HTTP server failed", error));

  const address = http.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${reachable(address)}:${address.port}${path}`,
    port: address.port,
    close: () => (closed ??= close(server, http, graceMs, timers)),
  };
}

function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

function listening(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      resolve();
    });
  });
}

/** The address as it stands in a URL; one that means every address is reached over loopback. */
function reachable({ address, family }: AddressInfo): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return family === "IPv6" ? `[${address}]` : address;
}

/** How often a closing server looks for connections that have fallen idle, in milliseconds. */
const SWEEP_MS = 50;

function close(server: Dispatcher, http: Server, graceMs: number, timers: Timers): Promise<void> {
  server.drain?.();
  return new Promise((resolve) => {
    // Node closes connections that are idle now, and leaves those that fall idle later to the client.
    const stopSweeping = timers.every(SWEEP_MS, () => http.closeIdleConnections());
    const stopWaiting = timers.after(graceMs, () => http.closeAllConnections());
    http.close(() => {
      stopSweeping();
      stopWaiting();
      resolve();
    });
  });
}
