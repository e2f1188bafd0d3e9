import { inspect } from "node:util";
import { exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AuthorizationError } from "../../../src/auth/client/errors.js";
import { ownAuthorization } from "../../../src/auth/client/oauth.js";
import { MemoryCredentialStore } from "../../../src/auth/client/store.js";
import { connect as connectByFetch } from "../../../src/entry/client.js";
import { connect } from "../../../src/entry/client-node.js";
import {
  DOCUMENT,
  type Login,
  type Notes,
  REDIRECT,
  browser,
  host,
  principal,
  startLogin,
  startNotes,
} from "./world.js";

/** The whole way in, by a real authorization server and a server of ours. */
let login: Login;
let notes: Notes;
let robotKey: Awaited<ReturnType<typeof generateKeyPair>>;

beforeAll(async () => {
  robotKey = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(robotKey.publicKey)), alg: "ES256", use: "sig", kid: "r1" };
  const known = {
    client_secret: "secret: of +desktop",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    application_type: "native",
  } as const;
  const own = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"] };
  const keyed = { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [jwk] } } as const;
  login = await startLogin([
    { client_id: "desk-top", token_endpoint_auth_method: "client_secret_basic", ...known },
    { client_id: "poster", token_endpoint_auth_method: "client_secret_post", ...known },
    { client_id: "robot", client_secret: "robot's", ...own },
    { client_id: "keyed", ...own, ...keyed },
  ]);
  notes = await startNotes(login);
});
afterAll(async () => {
  await notes.close();
  await login.close();
});
beforeEach(() => {
  login.asked.length = 0;
  login.shown.length = 0;
  login.consent = "all";
});

const as = (client: string, ...scopes: string[]) => ({
  issuer: login.issuer,
  subject: "ada",
  client,
  scopes,
});

describe("A client that is refused", () => {
  it("finds the authorization server, registers itself, has the person consent, and is let in", async () => {
    const { connect, sent } = host({ registration: { clientName: "Desk" } });
    const client = await connect(notes);
    expect(await principal(client)).toMatchObject({ subject: "ada", scopes: ["notes:read"] });
    expect(sent).toEqual([["notes:read", "offline_access"]]);

    const [authorize] = login.requests("/auth");
    const [token] = login.requests("/token");
    expect(login.requests("/reg")).toHaveLength(1);
    expect(authorize).toBeDefined();
    expect(token?.form.get("resource")).toBe(notes.url);
    expect(token?.form.get("code_verifier")).toMatch(/^[\w-]{43}$/);
    expect(token?.authorization).toBeUndefined(); // a public client
    await client.close();
  });

  it("asks for a code with everything the specification wants in it", async () => {
    let asked: URL | undefined;
    const follow = browser();
    const { connect } = host({
      authorize: (url, request) => {
        asked = url;
        expect(request).toMatchObject({ server: notes.url, issuer: login.issuer });
        return follow(url, request);
      },
    });
    await (await connect(notes)).close();
    const query = Object.fromEntries(asked?.searchParams ?? []);
    expect(query).toMatchObject({
      response_type: "code",
      redirect_uri: REDIRECT,
      resource: notes.url,
      scope: "notes:read offline_access",
      code_challenge_method: "S256",
    });
    expect(query["code_challenge"]).toMatch(/^[\w-]{43}$/);
    expect(query["state"]).toMatch(/^[\w-]{43}$/);
  });

  it("is one authorization for all requests refused at the same time, and for clients that share it", async () => {
    const { connect, sent } = host();
    const clients = await Promise.all([connect(notes), connect(notes)]);
    await Promise.all(clients.flatMap((client) => [principal(client), principal(client)]));
    expect(sent).toHaveLength(1);
    expect(login.requests("/reg")).toHaveLength(1);
    await Promise.all(clients.map((client) => client.close()));
  });

  it("goes the same way where the platform's fetch is its transport, beside headers of the host's", async () => {
    const { authorization, sent } = host();
    const headers = () => ({ "x-host": "1", Authorization: "Bearer theirs" });
    const client = await connectByFetch(notes.url, { authorization, headers });
    expect(await principal(client, "write")).toMatchObject({ subject: "ada" });
    expect(sent).toHaveLength(2);
    await client.close();
  });

  it("goes in by what was kept, without the person and without another registration", async () => {
    const store = new MemoryCredentialStore();
    await (await host({ store }).connect(notes)).close();
    const again = host({ store });
    const client = await again.connect(notes);
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    expect(again.sent).toEqual([]);
    expect(login.requests("/reg")).toHaveLength(1);
    await client.close();
  });

  it("registers anew where the person comes back elsewhere", async () => {
    const store = new MemoryCredentialStore();
    await (await host({ store }).connect(notes)).close();
    const tokens = store.get(login.issuer);
    store.set(login.issuer, {
      registration: { ...tokens!.registration!, redirectUris: ["http://127.0.0.1:1/other"] },
    });
    await (await host({ store }).connect(notes)).close();
    expect(login.requests("/reg")).toHaveLength(2);
  });
});

describe("A client is known", () => {
  it.each([
    ["desk-top", "client_secret_basic"],
    ["poster", "client_secret_post"],
  ] as const)("as it was registered beforehand: %s by %s", async (clientId, authMethod) => {
    const secret = { clientSecret: "secret: of +desktop", authMethod };
    const { connect } = host({ clients: [{ issuer: login.issuer, clientId, ...secret }] });
    const client = await connect(notes);
    expect(await principal(client)).toEqual(as(clientId, "notes:read"));
    const [token] = login.requests("/token");
    const isBasic = authMethod === "client_secret_basic";
    expect(token?.authorization?.startsWith("Basic ")).toBe(isBasic ? true : undefined);
    expect(token?.form.has("client_secret")).toBe(!isBasic);
    expect(login.requests("/reg")).toEqual([]);
    await client.close();
  });

  it("by its metadata document, before it registers itself", async () => {
    const { connect } = host({ clientMetadataUrl: DOCUMENT });
    const client = await connect(notes);
    expect(await principal(client)).toEqual(as(DOCUMENT, "notes:read"));
    expect(login.requests("/reg")).toEqual([]);
    await client.close();
  });

  it("by nothing where what it has is another server's: nothing of it is sent", async () => {
    const clients = [{ issuer: "https://other.example", clientId: "a", clientSecret: "canary" }];
    const { connect, sent } = host({ clients });
    await expect(connect(notes)).rejects.toMatchObject({
      code: "authorization_failed",
      fault: "client_unknown",
    });
    expect(sent).toEqual([]);
    expect(login.asked.map(({ path }) => path)).toEqual([
      "/.well-known/oauth-authorization-server",
    ]);
  });

  it.each(["secret", "key"])("for itself, by its %s, without a person", async (by) => {
    const { privateKey: key } = robotKey;
    const client = {
      secret: { clientId: "robot", clientSecret: "robot's" },
      key: { clientId: "keyed", privateKey: { key, kid: "r1" } },
    }[by];
    const known = { issuer: login.issuer, ...client! };
    const authorization = ownAuthorization({ clients: [known] }, Date.now);
    const robot = await connect(notes.url, { authorization });
    const { clientId } = known;
    expect(await principal(robot)).toEqual({
      ...as(clientId, "notes:read"),
      subject: clientId,
    });
    await robot.close();
  });
});

describe("The person", () => {
  it("who says no is heard, and the call ends with that", async () => {
    login.consent = "none";
    const { connect, sent } = host();
    const failure = await connect(notes).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AuthorizationError);
    expect(failure).toMatchObject({ fault: "denied", oauthError: "access_denied" });
    expect(sent).toHaveLength(1);
    expect(login.requests("/token")).toEqual([]);
  });

  it("may stay away: a call that is aborted leaves, and the authorization with it", async () => {
    let left: AbortSignal | undefined;
    const { authorization } = host({
      authorize: (_, { signal }) => {
        left = signal;
        controller.abort(new Error("enough"));
        return new Promise<string>(() => undefined);
      },
    });
    const controller = new AbortController();
    const { signal } = controller;
    await expect(connect(notes.url, { authorization, signal })).rejects.toBeDefined();
    expect(left?.aborted).toBe(true);
  });
});

describe("Tokens", () => {
  it("are in nothing that is printed: client, authorization, store", async () => {
    const store = new MemoryCredentialStore();
    const { connect, authorization } = host({ store });
    const client = await connect(notes);
    const { tokens } = store.get(login.issuer) ?? {};
    const { accessToken, refreshToken } = tokens?.[notes.url] ?? {};
    expect(accessToken?.length).toBeGreaterThan(100);
    expect(refreshToken?.length).toBeGreaterThan(10);
    const printed = inspect([client, authorization, store], { depth: 20, showHidden: true });
    for (const secret of [accessToken, refreshToken]) expect(printed).not.toContain(secret);
    await client.close();
  });
});
