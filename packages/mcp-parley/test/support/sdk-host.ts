import { createMcpHandler } from "@modelcontextprotocol/server";
import type { AuthInfo, McpServer } from "@modelcontextprotocol/server";
import type { Principal } from "../../src/state/principal.js";
import { headersOf, readAnswer } from "./hosts.js";
import type { Host, Wire } from "./hosts.js";

/** A server of the official SDK, made anew for every request, and a bare client before it. */
export interface SdkHost extends Host {
  /** Sends one request under an access token. */
  as(authInfo: AuthInfo | undefined, request: Wire): Promise<Wire>;
  /** Sends one request and gives its HTTP status. */
  status(request: Wire): Promise<number>;
}

/** An access token of a principal's, as a verifier of the SDK's gives it. */
export function tokenOf({ issuer, subject, client = "" }: Principal): AuthInfo {
  const extra = { sub: subject, iss: issuer };
  return { token: `token of ${subject}`, clientId: client, scopes: [], extra };
}

export function sdkHost(make: () => McpServer): SdkHost {
  const { fetch, close } = createMcpHandler(make, { legacy: "reject" });
  const post = (request: Wire, authInfo?: AuthInfo): Promise<Response> =>
    fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: headersOf(request, undefined),
        body: JSON.stringify(request),
      }),
      authInfo === undefined ? {} : { authInfo },
    );
  return {
    send: async (request, principal) =>
      readAnswer(await post(request, principal === undefined ? undefined : tokenOf(principal))),
    as: async (authInfo, request) => (await readAnswer(await post(request, authInfo))).response,
    status: async (request) => (await post(request)).status,
    close,
  };
}
