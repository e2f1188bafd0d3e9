import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { encodeHeaderValue } from "../../src/protocol/headers.js";
import { nameOf } from "../../src/protocol/methods.js";
import type { McpServer } from "../../src/server/server.js";
import type { Principal } from "../../src/state/principal.js";
import { toFetchHandler } from "../../src/transport/fetch.js";
import { toNodeHandler } from "../../src/transport/node-http.js";
import { serveStdio } from "../../src/transport/stdio.js";

/** Any message as it stood on the wire. */
export type Wire = Record<string, unknown>;

/** A server behind one transport, and a bare client before it. */
export interface Host {
  /** Sends one request; gives the response and what was notified before it. */
  send(request: Wire, principal?: Principal): Promise<{ response: Wire; notified: Wire[] }>;
  close(): Promise<void>;
}

/** Serves what `make` makes; `fresh` has every request served by a new instance. */
export type HostMaker = (make: () => McpServer, fresh: boolean) => Promise<Host>;

type Serve = () => McpServer;

function instances(make: () => McpServer, fresh: boolean): { serve: Serve; close: () => void } {
  const made: McpServer[] = [];
  const add = (): McpServer => {
    const server = make();
    made.push(server);
    return server;
  };
  const one = fresh ? undefined : add();
  return {
    serve: () => one ?? add(),
    close: () => {
      for (const server of made) server.close();
    },
  };
}

const PRINCIPAL_HEADER = "x-test-principal";

export function headersOf(request: Wire, principal: Principal | undefined): Record<string, string> {
  const method = request["method"] as string;
  const name = nameOf(method, request["params"]);
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": encodeHeaderValue(name) }),
    ...(principal === undefined ? {} : { [PRINCIPAL_HEADER]: JSON.stringify(principal) }),
  };
}

const authenticate = (head: {
  headers: { get(name: string): string | null };
}): Principal | undefined => {
  const header = head.headers.get(PRINCIPAL_HEADER);
  return header === null ? undefined : (JSON.parse(header) as Principal);
};

export async function readAnswer(
  response: Response,
): Promise<{ response: Wire; notified: Wire[] }> {
  const text = await response.text();
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    return { response: JSON.parse(text) as Wire, notified: [] };
  }
  const messages = text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => JSON.parse(line.slice(5)) as Wire);
  const last = messages.pop();
  if (last === undefined) throw new Error("a stream without a message");
  return { response: last, notified: messages };
}

const memory: HostMaker = (make, fresh) => {
  const { serve, close } = instances(make, fresh);
  return Promise.resolve({
    async send(request, principal) {
      const notified: Wire[] = [];
      const reply = await serve().dispatch(JSON.parse(JSON.stringify(request)), {
        principal,
        signal: new AbortController().signal,
        notify: (text) => void notified.push(JSON.parse(text) as Wire),
      });
      if (reply === undefined) throw new Error("no reply");
      return { response: JSON.parse(reply.text) as Wire, notified };
    },
    close: () => {
      close();
      return Promise.resolve();
    },
  });
};

const node: HostMaker = async (make, fresh) => {
  const { serve, close } = instances(make, fresh);
  const http = createServer((request, response) => {
    toNodeHandler(serve(), { authenticate })(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    async send(request, principal) {
      return readAnswer(
        await fetch(`http://127.0.0.1:${String(port)}/mcp`, {
          method: "POST",
          headers: headersOf(request, principal),
          body: JSON.stringify(request),
        }),
      );
    },
    async close() {
      close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
};

const web: HostMaker = (make, fresh) => {
  const { serve, close } = instances(make, fresh);
  return Promise.resolve({
    async send(request, principal) {
      const handler = toFetchHandler(serve(), { authenticate });
      return readAnswer(
        await handler(
          new Request("http://localhost/mcp", {
            method: "POST",
            headers: headersOf(request, principal),
            body: JSON.stringify(request),
          }),
        ),
      );
    },
    close: () => {
      close();
      return Promise.resolve();
    },
  });
};

/** One conversation for all requests, or one for each when every request gets an instance. */
const stdio: HostMaker = (make, fresh) => {
  const { serve, close } = instances(make, fresh);
  const open = new Map<string, Conversation>();
  const conversation = (principal: Principal | undefined): Conversation => {
    const who = fresh ? String(open.size) : JSON.stringify(principal ?? null);
    const known = open.get(who) ?? new Conversation(serve(), principal);
    open.set(who, known);
    return known;
  };
  return Promise.resolve({
    send: (request, principal) => conversation(principal).send(request),
    async close() {
      await Promise.all([...open.values()].map((each) => each.close()));
      close();
    },
  });
};

class Conversation {
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #over: Promise<void>;
  readonly #waiting = new Map<unknown, (answer: { response: Wire; notified: Wire[] }) => void>();
  #notified: Wire[] = [];
  #rest = "";

  constructor(server: McpServer, principal: Principal | undefined) {
    this.#over = serveStdio(server, {
      input: this.#input,
      output: this.#output,
      ...(principal === undefined ? {} : { principal }),
    });
    this.#output.on("data", (chunk: Buffer) => this.#receive(chunk.toString()));
  }

  send(request: Wire): Promise<{ response: Wire; notified: Wire[] }> {
    return new Promise((resolve) => {
      this.#waiting.set(request["id"], resolve);
      this.#input.write(`${JSON.stringify(request)}\n`);
    });
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#over;
  }

  #receive(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Wire;
      if (!("id" in message)) {
        this.#notified.push(message);
        continue;
      }
      const notified = this.#notified;
      this.#notified = [];
      this.#waiting.get(message["id"])?.({ response: message, notified });
    }
  }
}

export const hosts: Readonly<Record<string, HostMaker>> = {
  "in memory": memory,
  "node:http": node,
  fetch: web,
  stdio,
};
