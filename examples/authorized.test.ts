import { mkdtemp, rm, stat } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import Provider from "oidc-provider";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Serving } from "mcp-parley/node";
import { fileStore } from "./authorized/file-store.js";
import { readNotes } from "./authorized/person.js";
import { connectRobot } from "./authorized/robot.js";
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
  const provider: Provider = new Provider(issuer, {
    clients: [
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
  const client = await connectRobot(serving.url, issuer, "robot's secret");
  const { content } = await client.callTool({ name: "read" });
  expect(content).toMatchObject([{ text: "No notes." }]);
  await client.close();
});
