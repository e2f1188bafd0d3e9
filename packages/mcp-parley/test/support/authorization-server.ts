import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import type { JWK } from "jose";
import Provider from "oidc-provider";

const REDIRECT = "https://app.example/callback";

/** The clients it knows. The first two act for people, the third for itself. */
export const CLIENTS = ["desktop", "web", "robot"] as const;
export type ClientId = (typeof CLIENTS)[number];

/** What a token is asked for with. */
export interface Wanted {
  readonly client?: ClientId;
  /** Who signs in; left out, the client acts for itself. */
  readonly user?: string;
  readonly scope?: string;
  readonly resource?: string;
}

/** Tokens as a client gets them. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
}

/** A real authorization server in this process. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** The paths it was asked for, the oldest first. */
  readonly asked: string[];
  /** A token by the authorization code grant, or by client credentials where nobody signs in. */
  token(wanted: Wanted): Promise<Tokens>;
  refresh(tokens: Tokens, client: ClientId, scope: string): Promise<Tokens>;
  /** From now on it signs with another key, and knows the old one no more. */
  rotate(): Promise<void>;
  /** What it does with requests from now on: answer, refuse with 500, or say nothing at all. */
  mood: "well" | "failing" | "silent";
  close(): Promise<void>;
}

let made = 0;

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return {
    ...(await exportJWK(privateKey)),
    alg: "ES256",
    use: "sig",
    kid: `key-${String(++made)}`,
  };
}

/**
 * Starts `oidc-provider` on a free port, with resource indicators and JWT access tokens that live
 * `ttl` seconds. Whoever `login_hint` names is signed in, and agrees.
 */
export async function startAuthorizationServer(ttl = 600): Promise<AuthorizationServer> {
  const listener = http.createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`;
  let provider = providerOf(issuer, ttl, await newKey());

  const server: AuthorizationServer = {
    issuer,
    asked: [],
    mood: "well",
    token: ({ client = "desktop", user, scope = "", resource }) =>
      user === undefined
        ? exchange(issuer, client, { grant_type: "client_credentials", scope, resource })
        : signIn(issuer, client, { login_hint: user, scope: `openid ${scope}`.trim(), resource }),
    refresh: ({ refresh }, client, scope) =>
      exchange(issuer, client, { grant_type: "refresh_token", refresh_token: refresh, scope }),
    async rotate() {
      provider = providerOf(issuer, ttl, await newKey());
    },
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  listener.on("request", (request, response) => {
    server.asked.push(new URL(request.url ?? "", issuer).pathname);
    if (server.mood === "silent") return;
    if (server.mood === "failing") response.writeHead(500).end();
    else void answer(provider, request, response);
  });
  return server;
}

function providerOf(issuer: string, ttl: number, key: JWK): Provider {
  const scope = "notes:read notes:write admin";
  const provider: Provider = new Provider(issuer, {
    clients: CLIENTS.map((client_id) => ({
      client_id,
      client_secret: `secret of ${client_id}`,
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    })),
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [key] },
    cookies: { keys: ["only a test's"] },
    ttl: {
      ...{ AccessToken: ttl, ClientCredentials: ttl, RefreshToken: 600, IdToken: 600 },
      ...{ Interaction: 600, Session: 600, Grant: 600 },
    },
    scopes: ["openid", "offline_access"],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope,
          audience: resource,
          accessTokenTTL: ttl,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
        useGrantedResource: () => true,
      },
    },
    issueRefreshToken: () => true,
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async (ctx) => {
      const { client, session, params } = ctx.oidc;
      const grant = new provider.Grant({
        clientId: client?.clientId ?? "",
        accountId: session?.accountId ?? "",
      });
      grant.addOIDCScope("openid offline_access");
      grant.addResourceScope(String(params?.["resource"]), scope);
      await grant.save();
      return grant;
    },
  });
  return provider;
}

async function answer(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url?.startsWith("/interaction/") !== true) {
    await provider.callback()(request, response);
    return;
  }
  const { params } = await provider.interactionDetails(request, response);
  const login = { accountId: String(params["login_hint"]) };
  await provider.interactionFinished(request, response, { login });
}

/** The authorization code grant, with a browser that follows and remembers. */
async function signIn(
  issuer: string,
  client: ClientId,
  asked: Record<string, string | undefined>,
): Promise<Tokens> {
  const verifier = randomBytes(32).toString("base64url");
  const query = form({
    ...asked,
    client_id: client,
    redirect_uri: REDIRECT,
    response_type: "code",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const cookies = new Map<string, string>();
  let url = `${issuer}/auth?${query.toString()}`;
  while (!url.startsWith(REDIRECT)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`The sign-in stopped: ${await response.text()}`);
    url = new URL(location, issuer).href;
  }
  const code = new URL(url).searchParams.get("code");
  if (code === null) throw new Error(`There was no code: ${url}`);
  return exchange(issuer, client, {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    resource: asked["resource"],
  });
}

async function exchange(
  issuer: string,
  client: ClientId,
  body: Record<string, string | undefined>,
): Promise<Tokens> {
  const secret = encodeURIComponent(`secret of ${client}`).replaceAll("%20", "+");
  const authorization = `Basic ${Buffer.from(`${client}:${secret}`).toString("base64")}`;
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization },
    body: form(body),
  });
  const tokens = (await response.json()) as { access_token?: string; refresh_token?: string };
  if (tokens.access_token === undefined) throw new Error(JSON.stringify(tokens));
  return { access: tokens.access_token, refresh: tokens.refresh_token };
}

function form(fields: Record<string, string | undefined>): URLSearchParams {
  const given = Object.entries(fields).filter(
    (field): field is [string, string] => field[1] !== undefined && field[1] !== "",
  );
  return new URLSearchParams(given);
}
