import { connect } from "mcp-parley/client";
import type { Client } from "mcp-parley/client";
import { enterpriseManaged } from "mcp-parley/client/auth";
import type { KnownClient } from "mcp-parley/client/auth";

/** Connects for somebody who signed in to this host at work, and is not asked again. */
export function connectAtWork(
  url: string,
  identityProvider: KnownClient, // this host, where they signed in
  notes: KnownClient, // this host, at the authorization server of the notes
  idToken: () => Promise<string>, // from that sign-in, renewed when it has ended
): Promise<Client> {
  const authorization = enterpriseManaged({
    identityProvider,
    clients: [notes],
    identityAssertion: idToken,
  });
  return connect(url, { authorization });
}
