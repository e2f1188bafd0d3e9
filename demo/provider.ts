import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a release is published with: all it does is count. */
export interface Provider {
  readonly url: string;
  /** How often something was published. */
  readonly effects: number;
  close(): void;
}

export async function startProvider(): Promise<Provider> {
  let effects = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.method === "POST") effects += 1;
      response.end();
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
