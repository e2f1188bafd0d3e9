import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accept } from "mcp-parley/testing";
import { connect } from "mcp-parley/client";
import type { Serving } from "mcp-parley/node";
import { notesHandler } from "./notes/fetch.js";
import { serveNotes } from "./notes/node.js";

/** The examples of docs/authorization.md, before an authorization server of this process. */
const RESOURCE = "https://notes.example/mcp";
const WELL_KNOWN = "/.well-known/oauth-protected-resource/mcp";
const login = createServer();
let issuer: string;
let serving: Serving;

beforeAll(async () => {
  await new Promise<void>((resolve) => login.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${String((login.address() as AddressInfo).port)}`;
  const scope = "notes:read notes:write";
  const robot = { client_id: "robot", client_secret: "robot's secret" };
  const provider = new Provider(issuer, {
    clients: [
      { ...robot, redirect_uris: [], response_types: [], grant_types: ["client_credentials"] },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({ audience, scope, accessTokenFormat: "jwt" }),
      },
    },
  });
  const answer = provider.callback();
  login.on("request", (request, response) => void answer(request, response));
  serving = await serveNotes(RESOURCE, issuer, 0);
});
afterAll(async () => {
  await serving.close();
  login.close();
});

async function tokenFor(scope: string): Promise<string> {
  const grant = { grant_type: "client_credentials", scope, resource: RESOURCE };
  const client = { client_id: "robot", client_secret: "robot's secret" };
  const body = new URLSearchParams({ ...grant, ...client });
  const response = await fetch(`${issuer}/token`, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}

it("serves who has the scopes, and asks them first", async () => {
  const authorization = `Bearer ${await tokenFor("notes:write")}`;
  const answer = { form: () => accept() };
  const client = await connect(serving.url, { headers: { authorization }, answer });
  expect((await client.callTool({ name: "read" })).content).toMatchObject([{ text: "No notes." }]);
  expect((await client.callTool({ name: "erase" })).content).toMatchObject([{ text: "Erased." }]);
  await client.close();
});

it("refuses who has too few", async () => {
  const authorization = `Bearer ${await tokenFor("notes:read")}`;
  const client = await connect(serving.url, { headers: { authorization } });
  await expect(client.callTool({ name: "erase" })).rejects.toThrow();
  await client.close();
});

it("tells where tokens are to be had, on Node and under fetch", async () => {
  const handler = notesHandler(RESOURCE, issuer);
  for (const response of [
    await fetch(new URL(WELL_KNOWN, serving.url)),
    await handler(new Request(new URL(WELL_KNOWN, RESOURCE))),
  ]) {
    expect(await response.json()).toMatchObject({
      resource: RESOURCE,
      authorization_servers: [issuer],
    });
  }
  const headers = { "content-type": "application/json", accept: "application/json" };
  const refused = await handler(new Request(RESOURCE, { method: "POST", headers, body: "{}" }));
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toBe(
    `Bearer scope="notes:read", resource_metadata="https://notes.example${WELL_KNOWN}"`,
  );
});
