import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { metadataNodeHandler } from "../../src/auth/serve-metadata.js";
import { toNodeHandler } from "../../src/transport/node-http.js";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../support/authorization-server.js";
import { guard, whoami } from "./guarded.js";

/** The official client finds its way in by our challenges and metadata alone. */
let provider: AuthorizationServer;
let listener: http.Server;
let url: URL;

beforeAll(async () => {
  provider = await startAuthorizationServer();
  listener = http.createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  url = new URL(`http://127.0.0.1:${String((listener.address() as AddressInfo).port)}/mcp`);
  const { authenticate } = guard({
    issuer: provider.issuer,
    resource: url.href,
    scopes: ["notes:read"],
  });
  const metadata = metadataNodeHandler(authenticate);
  const mcp = toNodeHandler(whoami(), { authenticate, log: false });
  listener.on("request", (request, response) =>
    metadata(request, response, () => mcp(request, response)),
  );
});
afterAll(async () => {
  listener.closeAllConnections();
  listener.close();
  await provider.close();
});

it("discovers the provider, gets a token, and steps up for a tool that needs more", async () => {
  const authProvider = new ClientCredentialsProvider({
    clientId: "robot",
    clientSecret: "secret of robot",
    expectedIssuer: provider.issuer,
  });
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  const principal = async (name: string): Promise<unknown> => {
    const { content } = await client.callTool({ name, arguments: {} });
    return JSON.parse((content as { text: string }[])[0]?.text ?? "null");
  };
  const robot = { issuer: provider.issuer, subject: "robot", client: "robot" };
  expect(await principal("whoami")).toEqual({ ...robot, scopes: ["notes:read"] });
  expect(await principal("write")).toEqual({ ...robot, scopes: ["notes:read", "notes:write"] });
  await client.close();
});
