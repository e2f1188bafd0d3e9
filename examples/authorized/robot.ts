import { connect } from "mcp-parley/client";
import type { Client } from "mcp-parley/client";
import { clientCredentials } from "mcp-parley/client/auth";

/** A client that acts for itself, at the authorization server where it was registered. */
export function connectRobot(url: string, issuer: string, clientSecret: string): Promise<Client> {
  const authorization = clientCredentials({
    clients: [{ issuer, clientId: "robot", clientSecret }],
  });
  return connect(url, { authorization });
}
