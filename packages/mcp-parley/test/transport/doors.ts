import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Dispatcher } from "../../src/server/context.js";
import { fetchHandler } from "../../src/transport/fetch.js";
import type { HttpOptions } from "../../src/transport/http-policy.js";
import { nodeHandler } from "../../src/transport/node-http.js";
import { systemTimers, type Timers } from "../../src/transport/timers.js";
import { VERSION } from "./fixtures.js";

/** What a test sends; a header of undefined is left out. */
export interface Sent {
  method?: string;
  headers?: Record<string, string | undefined>;
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** What comes back, as it comes. */
export interface Got {
  status: number;
  header(name: string): string | null;
  /** The next piece of the body; undefined at its end. Rejects where the stream breaks. */
  next(): Promise<string | undefined>;
  /** The client goes. */
  leave(): void;
}

/** One of the ways in over HTTP. */
export interface Door {
  /** Where the server believes to be: the host and port a client of it would name. */
  readonly host: string;
  send(sent: Sent): Promise<Got>;
  /** Sends and goes away before anything came back, once `when` settles. */
  sendAndLeave(sent: Sent, when: Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

export type OpenDoor = (
  server: Dispatcher,
  options?: HttpOptions,
  timers?: Timers,
) => Promise<Door>;

/** The headers that belong to `message`. */
export function headersOf(message: { method: string; params?: object }): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
    "mcp-method": message.method,
  };
  const { name, uri } = { ...message.params } as { name?: string; uri?: string };
  const mirrored = name ?? uri;
  return mirrored === undefined ? headers : { ...headers, "mcp-name": mirrored };
}

/** A POST of `message` with its headers, some of them changed. */
export function post(
  message: { method: string; params?: object },
  headers: Record<string, string | undefined> = {},
): Sent {
  return { headers: { ...headersOf(message), ...headers }, body: JSON.stringify(message) };
}

/** All that is left of a body. */
export async function rest(got: Got): Promise<string> {
  let text = "";
  for (let piece = await got.next(); piece !== undefined; piece = await got.next()) text += piece;
  return text;
}

/** The body as JSON. */
export async function json(got: Got): Promise<unknown> {
  return JSON.parse(await rest(got));
}

function present(headers: Record<string, string | undefined> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((field): field is [string, string] => field[1] !== undefined),
  );
}

export const throughNode: OpenDoor = async (server, options = {}, timers = systemTimers) => {
  const listener = http.createServer(nodeHandler(server, options, timers));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true });

  const start = ({ method = "POST", headers, body }: Sent): http.ClientRequest => {
    const request = http.request({ port, agent, method, path: "/mcp", headers: present(headers) });
    if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
      if (body !== undefined) request.setHeader("content-length", Buffer.byteLength(body));
      request.end(body);
    } else {
      void (async () => {
        for await (const piece of body) request.write(piece);
        request.end();
      })();
    }
    return request;
  };

  return {
    host: `127.0.0.1:${port}`,
    send: (sent) =>
      new Promise((resolve, reject) => {
        const request = start(sent);
        request.once("error", reject);
        request.once("response", (response) => {
          const pieces = response.setEncoding("utf8")[Symbol.asyncIterator]();
          resolve({
            status: response.statusCode ?? 0,
            header: (name) => {
              const value = response.headers[name];
              return value === undefined ? null : String(value);
            },
            next: async () => {
              const { done, value } = (await pieces.next()) as IteratorResult<string, undefined>;
              return done === true ? undefined : value;
            },
            leave: () => response.destroy(),
          });
        });
      }),
    async sendAndLeave(sent, when) {
      const request = start(sent);
      const gone = new Promise<void>((resolve) => {
        request.on("error", () => resolve());
        request.on("response", () => {
          throw new Error("There was an answer");
        });
      });
      await when;
      request.destroy();
      await gone;
    },
    async close() {
      agent.destroy();
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
};

export const throughFetch: OpenDoor = async (server, options = {}, timers = systemTimers) => {
  const handler = fetchHandler(server, options, timers);
  const host = "127.0.0.1:3000";

  const make = ({ method = "POST", headers, body }: Sent, signal: AbortSignal): Request =>
    new Request(`http://${host}/mcp`, {
      method,
      headers: present(headers),
      signal,
      ...(body === undefined || method === "GET" || method === "HEAD"
        ? {}
        : { body: toBody(body), duplex: "half" }),
    });

  return {
    host,
    async send(sent) {
      const leaving = new AbortController();
      const response = await handler(make(sent, leaving.signal));
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      return {
        status: response.status,
        header: (name) => response.headers.get(name),
        next: async () => (await reader?.read())?.value,
        leave: () => void reader?.cancel().catch(() => undefined),
      };
    },
    async sendAndLeave(sent, when) {
      const leaving = new AbortController();
      const answer = handler(make(sent, leaving.signal));
      await when;
      leaving.abort();
      await answer;
    },
    close: async () => undefined,
  };
};

function toBody(body: string | Uint8Array | AsyncIterable<Uint8Array>): ReadableStream | string {
  if (typeof body === "string") return body;
  return ReadableStream.from<Uint8Array>(body instanceof Uint8Array ? [body] : body);
}

/** Every way in, by name. */
export const DOORS: [string, OpenDoor][] = [
  ["node:http", throughNode],
  ["fetch", throughFetch],
];
