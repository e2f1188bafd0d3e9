import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { SignJWT, jwtVerify } from "jose";
import Provider, { errors } from "oidc-provider";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Client } from "mcp-parley/client";
import type { Serving } from "mcp-parley/node";
import { connectAtWork } from "./authorized/enterprise.js";
import { fileStore } from "./authorized/file-store.js";
import { readNotes } from "./authorized/person.js";
import { connectRobot } from "./authorized/robot.js";
import { connectWorkload } from "./authorized/workload.js";
import { serveNotes } from "./notes/node.js";

/** The client's examples of docs/authorization.md, before a provider and the server of that page. */
const login = createServer();
let issuer: string;
let folder: string;
let serving: Serving;

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

/** Which of the provider's two parts trusts what the other signs with is a matter of these tests. */
const key = new TextEncoder().encode("only a test's, and long enough for HS256");
const GRANT = "urn:ietf:params:oauth:grant-type:";
const signed = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setExpirationTime("5m").sign(key);

/** The two grants by which somebody comes in by an assertion (RFC 8693, RFC 7523). */
function takeAssertions(provider: Provider, scope: string): void {
  const subjectIn = async (token: unknown, audience: string): Promise<string> => {
    const read = jwtVerify(String(token), key, { audience }).catch(() => undefined);
    const subject = (await read)?.payload.sub;
    if (subject === undefined) throw new errors.InvalidGrant("not a good assertion");
    return subject;
  };
  provider.registerGrantType(
    `${GRANT}token-exchange`,
    async (ctx) => {
      const { params, client } = ctx.oidc;
      const sub = await subjectIn(params["subject_token"], client.clientId);
      ctx.body = {
        access_token: await signed({ sub, aud: params["audience"] }),
        issued_token_type: params["requested_token_type"],
        token_type: "N_A",
      };
    },
    ["subject_token", "subject_token_type", "requested_token_type", "audience"],
  );
  const gty = `${GRANT}jwt-bearer`;
  provider.registerGrantType(
    gty,
    async (ctx) => {
      const { params, client } = ctx.oidc;
      const accountId = await subjectIn(params["assertion"], issuer);
      const grantId = await new provider.Grant({ clientId: client.clientId, accountId }).save();
      const token = new provider.AccessToken({ client, accountId, grantId, gty, scope });
      const audience = String(params.resource);
      const info = { audience, scope, accessTokenFormat: "jwt" as const };
      token.resourceServer = new provider.ResourceServer(audience, info);
      ctx.body = { access_token: await token.save(), token_type: "Bearer" };
    },
    ["assertion", "resource"],
  );
}

async function freePort(): Promise<number> {
  const taken = createServer();
  const port = await listen(taken);
  await new Promise((resolve) => taken.close(resolve));
  return port;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "parley-authorized-"));
  issuer = `http://127.0.0.1:${await listen(login)}`;
  const scope = "notes:read notes:write";
  const robot = { client_id: "robot", client_secret: "robot's secret" };
  const asserting = { redirect_uris: [], response_types: [] };
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: "desk", client_secret: "desk's secret", ...asserting },
        grant_types: [`${GRANT}token-exchange`, `${GRANT}jwt-bearer`],
      },
      {
        ...{ client_id: "nightly", token_endpoint_auth_method: "none", ...asserting },
        grant_types: [`${GRANT}jwt-bearer`],
      },
      { ...robot, redirect_uris: [], response_types: [], grant_types: ["client_credentials"] },
    ],
    cookies: { keys: ["only a test's"] },
    features: {
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({ audience, scope, accessTokenFormat: "jwt" }),
        useGrantedResource: () => true,
      },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc: { client, session, params } }) {
      const [clientId, accountId] = [client?.clientId ?? "", session?.accountId ?? ""];
      const grant = new provider.Grant({ clientId, accountId });
      grant.addOIDCScope("offline_access");
      grant.addResourceScope(String(params?.["resource"]), scope);
      await grant.save();
      return grant;
    },
  });
  takeAssertions(provider, scope);
  const answer = provider.callback();
  login.on("request", (request, response) => {
    const signIn = (): Promise<void> =>
      provider.interactionFinished(request, response, { login: { accountId: "ada" }, consent: {} });
    void (request.url?.startsWith("/interaction/") ? signIn() : answer(request, response));
  });
  const port = await freePort(); // the resource's URL has to be known before it is served
  serving = await serveNotes(`http://127.0.0.1:${port}/mcp`, issuer, port);
});
afterAll(async () => {
  await serving.close();
  login.close();
  await rm(folder, { recursive: true });
});

/** A browser that follows redirects, with cookies, to their end. */
async function browse(page: URL): Promise<void> {
  const cookies = new Map<string, string>();
  let next: string | null = page.href;
  while (next !== null) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response: Response = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    next = location === null ? null : new URL(location, next).href;
  }
}

it("signs a person in once, and keeps what it was given where nobody else reads it", async () => {
  const file = path.join(folder, "credentials.json");
  const port = await freePort();
  let pages = 0;
  const open = (page: URL): void => {
    pages += 1;
    void browse(page);
  };
  const read = (): Promise<string> => readNotes(serving.url, open, fileStore(file), port);
  expect(await read()).toBe("No notes.");
  expect(await read()).toBe("No notes.");
  expect(pages).toBe(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await fileStore(file).delete(issuer);
  expect(await read()).toBe("No notes.");
  expect(pages).toBe(2);
});

it("lets a client in that acts for itself", async () => {
  const content = await read(connectRobot(serving.url, issuer, "robot's secret"));
  expect(content).toMatchObject([{ text: "No notes." }]);
});

async function read(connecting: Promise<Client>): Promise<unknown> {
  const client = await connecting;
  const { content } = await client.callTool({ name: "read" });
  await client.close();
  return content;
}

it("lets somebody in who signed in at work", async () => {
  const desk = { issuer, clientId: "desk", clientSecret: "desk's secret" };
  const idToken = (): Promise<string> => signed({ sub: "ada", aud: "desk" });
  const content = await read(connectAtWork(serving.url, desk, desk, idToken));
  expect(content).toMatchObject([{ text: "No notes." }]);
});

it("lets a workload in by the token its platform keeps for it", async () => {
  const file = path.join(folder, "token");
  await writeFile(file, `${await signed({ sub: "pod-7", aud: issuer })}\n`);
  const content = await read(connectWorkload(serving.url, issuer, file));
  expect(content).toMatchObject([{ text: "No notes." }]);
});
