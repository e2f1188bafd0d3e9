import { type IncomingHttpHeaders, createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Instance } from "./fleet.js";

/** A request or response as it passed through. */
export interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One round of a call, as the proxy saw it. */
export interface Round {
  /** 1 for the first. */
  readonly number: number;
  readonly instance: Instance;
  /** The JSON-RPC request and its answer. */
  readonly request: unknown;
  readonly answer: unknown;
}

/** Delivers a message to some instance, and gives its answer. */
export type Deliver = (message: Message) => Promise<[Instance, Message & { status: number }]>;

/** Makes of a delivery that arrives once one that is less kind. */
export type Roughly = (deliver: Deliver) => Deliver;

export interface Proxy {
  readonly url: string;
  close(): void;
}

/**
 * Hands each request to the next instance in turn that still answers. `onRound` hears of each round
 * of a tool's call before the client gets the answer, and may take its time.
 */
export async function startProxy(
  instances: readonly Instance[],
  onRound: (round: Round) => Promise<void>,
  roughly: Roughly = (deliver) => deliver,
): Promise<Proxy> {
  let turn = 0;
  let rounds = 0;

  const pass = roughly(async (message) => {
    for (let tried = 0; tried < instances.length; tried++) {
      const instance = instances[turn++ % instances.length];
      if (instance === undefined) break;
      try {
        return [instance, await forward(message, instance.port)];
      } catch {
        // Nobody there any more: the next one.
      }
    }
    throw new Error("No instance answers");
  });

  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const message = { headers: incoming.headers, body: await buffer(incoming) };
      const [instance, answer] = await pass(message);
      if (incoming.headers["mcp-method"] === "tools/call" && answer.status === 200) {
        const [request, result] = [parsed(message.body), parsed(answer.body)];
        await onRound({ number: ++rounds, instance, request, answer: result });
      }
      outgoing.writeHead(answer.status, { "content-type": answer.headers["content-type"] });
      outgoing.end(answer.body);
    })().catch(() => outgoing.writeHead(502).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function forward({ headers, body }: Message, port: number): Promise<Message & { status: number }> {
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        port,
        host: "127.0.0.1",
        path: "/mcp",
        method: "POST",
        agent: false,
        headers: { ...headers, host: `127.0.0.1:${port}`, connection: "close" },
      },
      (response) => {
        buffer(response).then(
          (answer) =>
            resolve({
              status: response.statusCode ?? 502,
              headers: response.headers,
              body: answer,
            }),
          reject,
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}
