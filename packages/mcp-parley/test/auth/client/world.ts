import http from "node:http";
import type { AddressInfo } from "node:net";
import { randomBytes } from "node:crypto";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import type { JWTPayload } from "jose";
import Provider from "oidc-provider";
import type { Configuration } from "oidc-provider";
import type { Authorize } from "../../../src/auth/client/code-flow.js";
import type { AuthFetch } from "../../../src/auth/client/http.js";
import { personAuthorization } from "../../../src/auth/client/oauth.js";
import type { OAuthOptions } from "../../../src/auth/client/options.js";
import { metadataNodeHandler } from "../../../src/auth/serve-metadata.js";
import type { Authorization } from "../../../src/client/authorization.js";
import type { Client } from "../../../src/client/client.js";
import type { McpServer } from "../../../src/server/server.js";
import { connect } from "../../../src/entry/client-node.js";
import { toNodeHandler } from "../../../src/transport/node-http.js";
import { guard, whoami } from "../guarded.js";

export const REDIRECT = "http://127.0.0.1:7777/callback";
export const DOCUMENT = "https://host.example/client.json";

/** A request that reached an authorization server. */
export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  /** The proof in its `dpop` header. */
  readonly proof: string | undefined;
  readonly form: URLSearchParams;
}

/** A real authorization server, with clients known beforehand, registration, and a consent page. */
export interface Login {
  readonly issuer: string;
  readonly asked: Asked[];
  /** What the person says to the consent page: yes to all, no, or yes to these scopes. */
  consent: "all" | "none" | readonly string[];
  /** The scopes the consent page showed, each time. */
  readonly shown: string[][];
  /** Whether it wants a nonce of its own in proofs. */
  nonces: boolean;
  readonly provider: Provider;
  /** Signs under its key, as for an ID token, what ends in ten minutes unless `claims` say other. */
  sign(claims: JWTPayload, typ?: string): Promise<string>;
  requests(path: string): Asked[];
  close(): Promise<void>;
}

export async function startLogin(clients: Configuration["clients"] = []): Promise<Login> {
  const listener = http.createServer();
  const issuer = await listen(listener);
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: "ES256", use: "sig", kid: "key" };
  const login: Omit<Login, "provider"> = {
    issuer,
    asked: [],
    consent: "all",
    shown: [],
    nonces: false,
    sign: (claims, typ = "JWT") =>
      new SignJWT({ iss: issuer, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "key", typ })
        .setIssuedAt()
        .setExpirationTime(claims.exp ?? "10m")
        .sign(privateKey),
    requests: (path) => login.asked.filter((asked) => asked.path === path),
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  const provider = new Provider(issuer, {
    clients,
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [key] },
    cookies: { keys: ["only a test's"] },
    scopes: ["openid", "offline_access"],
    ttl: { AccessToken: 600, RefreshToken: 6_000, Interaction: 600, Session: 600, Grant: 6_000 },
    features: {
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => login.nonces },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => resourceInfo(audience),
        useGrantedResource: () => true,
      },
    },
    // The one document there is in this world.
    fetch: (url, init) =>
      (url instanceof Request ? url.url : url.toString()) === DOCUMENT
        ? Promise.resolve(Response.json(DESCRIBED))
        : fetch(url, init),
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  });
  const answer = provider.callback();
  listener.on("request", (request, response) => {
    const { pathname } = new URL(request.url ?? "", issuer);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const { authorization, dpop } = request.headers;
      login.asked.push({ path: pathname, authorization, proof: dpop as string | undefined, form });
    });
    void (pathname.startsWith("/interaction/")
      ? interact(provider, login, request, response)
      : answer(request, response));
  });
  return Object.assign(login, { provider });
}

/** What the authorization servers of this world say of every resource. */
export const resourceInfo = (audience: string) => ({
  audience,
  scope: "notes:read notes:write",
  accessTokenTTL: 600,
  accessTokenFormat: "jwt" as const,
  jwt: { sign: { alg: "ES256" as const } },
});

const DESCRIBED = {
  client_id: DOCUMENT,
  client_name: "Host",
  redirect_uris: [REDIRECT],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  application_type: "native",
};

/** The pages on which the person, who is Ada, signs in and consents. */
async function interact(
  provider: Provider,
  login: Omit<Login, "provider">,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const details = await provider.interactionDetails(request, response);
  const finish = (result: Parameters<typeof provider.interactionFinished>[2]): Promise<void> =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  if (details.prompt.name === "login") return finish({ login: { accountId: "ada" } });

  const { missingResourceScopes = {} } = details.prompt.details as {
    missingResourceScopes?: Record<string, string[]>;
  };
  const asked = Object.values(missingResourceScopes).flat();
  login.shown.push(asked);
  const { consent } = login;
  if (consent === "none") {
    return finish({ error: "access_denied", error_description: "Ada said no" });
  }
  const clientId = String(details.params["client_id"]);
  const known = details.grantId;
  const grant =
    (known === undefined ? undefined : await provider.Grant.find(known)) ??
    new provider.Grant({ clientId, accountId: "ada" });
  grant.addOIDCScope("openid offline_access");
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    const given = scopes.filter((scope) => consent === "all" || consent.includes(scope));
    grant.addResourceScope(resource, given.join(" "));
    const refused = scopes.filter((scope) => !given.includes(scope));
    if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(" "));
  }
  return finish({ consent: { grantId: await grant.save() } });
}

/** A browser of Ada's: it follows redirects, keeps cookies, and stops where it is sent back. */
export function browser(redirectUri = REDIRECT): Authorize {
  const cookies = new Map<string, string>();
  return async (page) => {
    let url = page.href;
    while (!url.startsWith(redirectUri)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, { redirect: "manual", headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null) throw new Error(`The sign-in stopped: ${await response.text()}`);
      url = new URL(location, url).href;
    }
    return url;
  };
}

/** A Parley server that takes the tokens of an authorization server; the tools are `whoami`'s. */
export interface Notes {
  readonly url: string;
  /** The `authorization` header of each request, as far as it had one. */
  readonly shown: (string | undefined)[];
  /** Headers it takes for none. */
  readonly revoked: Set<string | undefined>;
  /** From now on it takes the tokens of another. */
  moveTo(login: Login): void;
  close(): Promise<void>;
}

export async function startNotes(login: Login, make: () => McpServer = whoami): Promise<Notes> {
  const listener = http.createServer();
  const url = `${await listen(listener)}/mcp`;
  const server = make();
  const handlers = (issuer: string) => {
    const { authenticate } = guard({ issuer, resource: url, scopes: ["notes:read"] });
    const mcp = toNodeHandler(server, { authenticate, log: false });
    return { metadata: metadataNodeHandler(authenticate), mcp };
  };
  let now = handlers(login.issuer);
  const notes: Notes = {
    url,
    shown: [],
    revoked: new Set(),
    moveTo({ issuer }) {
      now = handlers(issuer);
    },
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  listener.on("request", (request, response) => {
    if (request.method === "POST") notes.shown.push(request.headers.authorization);
    if (notes.revoked.has(request.headers.authorization)) delete request.headers.authorization;
    now.metadata(request, response, () => now.mcp(request, response));
  });
  return notes;
}

export async function listen(listener: http.Server): Promise<string> {
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`;
}

/** A host with one person, whose clock can be moved. */
export interface Host {
  readonly authorization: Authorization;
  /** The scopes the person was sent to grant, each time. */
  readonly sent: (readonly string[])[];
  /** How far ahead its clock is, in ms. */
  ahead: number;
  connect(notes: Notes): Promise<Client>;
}

export function host(options: Partial<OAuthOptions> = {}): Host {
  const follow = options.authorize ?? browser();
  const settings: OAuthOptions = {
    redirectUri: REDIRECT,
    ...options,
    authorize(url, request) {
      made.sent.push(request.scopes);
      return follow(url, request);
    },
  };
  const authorization = personAuthorization(settings, () => Date.now() + made.ahead);
  const made: Host = {
    authorization,
    sent: [],
    ahead: 0,
    connect: ({ url }) => connect(url, { authorization, log: false }),
  };
  return made;
}

/** Who the server says is calling. */
export async function principal(client: Client, name = "whoami"): Promise<unknown> {
  const { content } = await client.callTool({ name });
  const [first] = content;
  return first?.type === "text" ? (JSON.parse(first.text) as unknown) : undefined;
}

/** `fetch` with answers changed on their way; what gives undefined is left as it is. */
export function tampered(
  change: (url: URL, body: Record<string, unknown>) => Response | object | undefined,
): AuthFetch {
  return async (text, init) => {
    const response = await fetch(text, init);
    const body = (await response
      .clone()
      .json()
      .catch(() => ({}))) as Record<string, unknown>;
    const changed = change(new URL(text), body);
    if (changed === undefined) return response;
    return changed instanceof Response ? changed : Response.json(changed);
  };
}
