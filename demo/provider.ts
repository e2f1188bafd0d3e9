import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** What a release is published with: it counts, and knows what it has done. */
export interface Provider {
  readonly url: string;
  /** How often something was published. */
  readonly effects: number;
  close(): void;
}

/** Called once something was published; what it answers with false nobody is told. */
export type OnEffect = (headers: IncomingHttpHeaders) => boolean;

export async function startProvider(onEffect: OnEffect = () => true): Promise<Provider> {
  let effects = 0;
  const done = new Set<unknown>();
  const server = createServer((request, response) => {
    const key = request.headers["idempotency-key"];
    request.resume().on("end", () => {
      if (request.method === "GET") {
        response.writeHead(done.has(key) ? 200 : 404).end();
        return;
      }
      effects += 1;
      done.add(key);
      if (onEffect(request.headers)) response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    get effects() {
      return effects;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
