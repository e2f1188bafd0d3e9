import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GiveAssertion } from "../../../src/auth/client/assertion.js";
import { AuthorizationError } from "../../../src/auth/client/errors.js";
import { enterpriseAuthorization } from "../../../src/auth/client/oauth.js";
import type { EnterpriseManagedOptions } from "../../../src/auth/client/options.js";
import type { Client } from "../../../src/client/client.js";
import { enterpriseManaged } from "../../../src/entry/client-auth.js";
import { connect } from "../../../src/entry/client-node.js";
import { JWT_BEARER, type Policy, TOKEN_EXCHANGE, giveGrants, takeAssertions } from "./grants.js";
import { type Login, type Notes, principal, startLogin, startNotes, tampered } from "./world.js";

/** A person whom an identity provider knows, at a server whose authorization server trusts it. */
let idp: Login;
let login: Login;
let notes: Notes;
let ahead = 0;
/** The ID tokens the client has, the newest last. */
let given: string[];
const policy: Policy = { scopes: [], allows: true, alter: (claims) => claims };

beforeAll(async () => {
  const own = { redirect_uris: [], response_types: [] };
  idp = await startLogin([
    { client_id: "sso", client_secret: "secret at work", ...own, grant_types: [TOKEN_EXCHANGE] },
  ]);
  login = await startLogin([
    { client_id: "desk", client_secret: "secret at notes", ...own, grant_types: [JWT_BEARER] },
  ]);
  giveGrants(idp, { sso: "desk" }, policy);
  takeAssertions(login, idp, "id-jag");
  notes = await startNotes(login);
});
afterAll(async () => {
  await notes.close();
  await login.close();
  await idp.close();
});
beforeEach(() => {
  Object.assign(policy, { scopes: ["notes:read", "notes:write"], allows: true });
  policy.alter = (claims) => claims;
  idp.asked.length = 0;
  login.asked.length = 0;
  given = [];
  ahead = 0;
});

const idToken = async (claims: object = {}): Promise<string> => {
  const token = await idp.sign({ sub: "ada", aud: "sso", ...claims });
  given.push(token);
  return token;
};

/** A host whose person signed in to it at work. */
function enter(options: Partial<EnterpriseManagedOptions> = {}): Promise<Client> {
  const authorization = enterpriseAuthorization(
    {
      clients: [{ issuer: login.issuer, clientId: "desk", clientSecret: "secret at notes" }],
      identityProvider: { issuer: idp.issuer, clientId: "sso", clientSecret: "secret at work" },
      identityAssertion: () => idToken(),
      ...options,
    },
    () => Date.now() + ahead,
  );
  return connect(notes.url, { authorization, log: false });
}

async function fault(entering: Promise<Client>): Promise<AuthorizationError> {
  const failure = await entering.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuthorizationError);
  return failure as AuthorizationError;
}

const exchanges = () => idp.requests("/token");
const redeemed = () => login.requests("/token");

describe("A person who signed in at their identity provider", () => {
  it("is let in without being asked, by a grant for this server alone", async () => {
    const client = await enter();
    const scopes = ["notes:read"];
    const ada = { issuer: login.issuer, subject: "ada", client: "desk", scopes };
    expect(await principal(client)).toEqual(ada);

    expect(exchanges()).toHaveLength(1);
    expect(Object.fromEntries(exchanges()[0]?.form ?? [])).toEqual({
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      audience: login.issuer,
      resource: notes.url,
      scope: "notes:read",
      subject_token: given[0],
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    });
    expect(redeemed()).toHaveLength(1);
    const { form } = redeemed()[0] ?? {};
    expect(Object.fromEntries(form ?? [])).toEqual({
      grant_type: JWT_BEARER,
      assertion: expect.stringMatching(/^ey/) as string,
      resource: notes.url,
      scope: "notes:read",
    });
    expect(form?.get("assertion")).not.toBe(given[0]);
    await client.close();
  });

  it("is shown to each of the two by that one's own secret", async () => {
    await (await enter()).close();
    const basic = (id: string, secret: string) =>
      `Basic ${btoa(`${id}:${secret.replaceAll(" ", "+")}`)}`;
    expect(exchanges()[0]?.authorization).toBe(basic("sso", "secret at work"));
    expect(redeemed()[0]?.authorization).toBe(basic("desk", "secret at notes"));
  });

  it("goes on by a new grant once the access token is refused, for a new assertion", async () => {
    const client = await enter();
    notes.revoked.add(notes.shown.at(-1));
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    expect(exchanges()).toHaveLength(2);
    expect(exchanges()[1]?.form.get("subject_token")).toBe(given[1]);
    await client.close();
  });

  it("is asked for with more scopes where a request needs them", async () => {
    const client = await enter();
    const scopes = ["notes:read", "notes:write"];
    expect(await principal(client, "write")).toMatchObject({ scopes });
    expect(exchanges().map(({ form }) => form.get("scope"))).toEqual([
      "notes:read",
      "notes:read notes:write",
    ]);
    await client.close();
  });

  it("gets no more scopes than the identity provider grants, and is not asked for again and again", async () => {
    policy.scopes = ["notes:read"];
    const client = await enter();
    for (let times = 0; times < 2; times += 1) {
      await expect(principal(client, "write")).rejects.toMatchObject({ code: "rpc" });
    }
    expect(redeemed().map(({ form }) => form.get("scope"))).toEqual(["notes:read", "notes:read"]);
    expect(exchanges()).toHaveLength(2);
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    await client.close();
  });

  it("may be asserted by SAML", async () => {
    const failure = await fault(enter({ identityAssertionType: "saml2" }));
    expect(failure.oauthError).toBe("invalid_request"); // this provider takes ID tokens alone
    const [exchange] = exchanges();
    expect(exchange?.form.get("subject_token_type")).toBe("urn:ietf:params:oauth:token-type:saml2");
  });
});

describe("The identity provider refuses, and the authorization server hears nothing of it", () => {
  it.each([
    ["an ID token that has ended", { exp: Math.floor(Date.now() / 1000) - 60 }],
    ["an ID token for another client", { aud: "another" }],
    ["an ID token of another issuer", { iss: "https://other.example" }],
  ])("%s", async (_, claims) => {
    const failure = await fault(enter({ identityAssertion: () => idToken(claims) }));
    expect(failure).toMatchObject({ fault: "token_refused", oauthError: "invalid_grant" });
    expect(failure.message).toContain(idp.issuer);
    expect(exchanges()).toHaveLength(1);
    expect(redeemed()).toEqual([]);
  });

  it("a server its people may not use", async () => {
    policy.allows = false;
    const failure = await fault(enter());
    expect(failure).toMatchObject({ fault: "token_refused", oauthError: "access_denied" });
    expect(redeemed()).toEqual([]);
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(given[0]);
  });

  it("and repeats what it was shown: the error does not", async () => {
    const fetch = tampered((url) =>
      url.origin === idp.issuer && url.pathname === "/token"
        ? Response.json(
            { error: "invalid_request", error_description: `${given[0] ?? ""}: not a good one` },
            { status: 400 },
          )
        : undefined,
    );
    const failure = await fault(enter({ fetch }));
    expect(failure.message).toMatch(/invalid_request, "…: not a good one"/);
    for (const part of given[0]?.split(".") ?? [""]) expect(inspect(failure)).not.toContain(part);
  });

  it("a client with another secret", async () => {
    const identityProvider = { issuer: idp.issuer, clientId: "sso", clientSecret: "canary" };
    const failure = await fault(enter({ identityProvider }));
    expect(failure).toMatchObject({ fault: "token_refused", oauthError: "invalid_client" });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain("canary");
  });
});

describe("A grant is of no use", () => {
  it.each([
    ["for another authorization server", { aud: "https://other.example" }],
    ["for another resource", { resource: "https://other.example/mcp" }],
    ["for another client", { client_id: "another" }],
    ["that has ended", { exp: Math.floor(Date.now() / 1000) - 60 }],
  ])("%s: the authorization server says so, and is asked once", async (_, altered) => {
    let grant = "";
    policy.alter = (claims) => ({ ...claims, ...altered });
    const failure = await fault(enter());
    grant = redeemed()[0]?.form.get("assertion") ?? "";
    expect(failure).toMatchObject({ fault: "token_refused", oauthError: "invalid_grant" });
    expect(failure.message).toContain(login.issuer);
    expect(redeemed()).toHaveLength(1);
    expect(grant).not.toBe("");
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(grant);
  });

  it.each([
    ["an access token", "urn:ietf:params:oauth:token-type:access_token", "Bearer"],
    ["something that does not say what it is", undefined, "N_A"],
    ["a token of no kind there is", "urn:ietf:params:oauth:token-type:id-jag", "unheard-of"],
  ])("that is %s: it goes no further", async (_, issued_token_type, token_type) => {
    const fetch = tampered((url, body) =>
      url.origin === idp.issuer && url.pathname === "/token"
        ? { ...body, issued_token_type, token_type }
        : undefined,
    );
    expect(await fault(enter({ fetch }))).toMatchObject({ fault: "token_invalid" });
    expect(exchanges()).toHaveLength(1);
    expect(redeemed()).toEqual([]);
  });
});

describe("Nothing is asserted", () => {
  it("for a server whose authorization server is not among the clients", async () => {
    const clients = [{ issuer: "https://other.example", clientId: "desk", clientSecret: "x" }];
    expect(await fault(enter({ clients }))).toMatchObject({ fault: "client_unknown" });
    expect(given).toEqual([]);
    expect(idp.asked).toEqual([]);
  });

  it("by a host that has nothing to assert with: the call ends with its own error", async () => {
    const signedOut = new Error("signed out");
    const identityAssertion = (): Promise<string> => Promise.reject(signedOut);
    await expect(enter({ identityAssertion })).rejects.toBe(signedOut);
  });

  it.each(["", undefined, 7])("by what is no assertion: %j", async (nothing) => {
    const identityAssertion = (() => nothing) as GiveAssertion;
    await expect(enter({ identityAssertion })).rejects.toMatchObject({ code: "usage" });
    expect(exchanges()).toEqual([]);
  });

  it("once nobody waits any more", async () => {
    const controller = new AbortController();
    let asked: Parameters<GiveAssertion>[0] | undefined;
    const authorization = enterpriseManaged({
      clients: [{ issuer: login.issuer, clientId: "desk", clientSecret: "secret at notes" }],
      identityProvider: { issuer: idp.issuer, clientId: "sso" },
      identityAssertion: (request) => {
        asked = request;
        controller.abort(new Error("enough"));
        return new Promise<string>(() => undefined);
      },
    });
    const { signal } = controller;
    await expect(connect(notes.url, { authorization, signal })).rejects.toBeDefined();
    expect(asked).toMatchObject({ server: notes.url, issuer: idp.issuer });
    expect(asked?.signal.aborted).toBe(true);
    expect(idp.asked).toEqual([]);
  });
});

it.each(["http://idp.example", "idp.example", ""])(
  "an identity provider is not at %j",
  (issuer) => {
    const options = { clients: [], identityAssertion: () => "", store: undefined };
    const identityProvider = { issuer, clientId: "sso" };
    expect(() => enterpriseManaged({ ...options, identityProvider })).toThrow(
      expect.objectContaining({ code: "usage" }) as Error,
    );
  },
);
