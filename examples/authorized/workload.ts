import { readFile } from "node:fs/promises";
import { connect } from "mcp-parley/client";
import type { Client } from "mcp-parley/client";
import { workloadIdentity } from "mcp-parley/client/auth";

/** A client in a pod: its platform keeps a token in a file, with `issuer` as its audience. */
export function connectWorkload(url: string, issuer: string, file: string): Promise<Client> {
  const authorization = workloadIdentity({
    clients: [{ issuer, clientId: "nightly" }],
    assertion: async () => (await readFile(file, "utf8")).trim(),
  });
  return connect(url, { authorization });
}
