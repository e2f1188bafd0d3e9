import { inspect } from "node:util";
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, generateKeyPair } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AuthFetch } from "../../../src/auth/client/http.js";
import { ownAuthorization } from "../../../src/auth/client/oauth.js";
import type { OAuthOptions } from "../../../src/auth/client/options.js";
import { MemoryCredentialStore } from "../../../src/auth/client/store.js";
import { type DpopKeyPair, oauth } from "../../../src/entry/client-auth.js";
import { connect as connectByFetch } from "../../../src/entry/client.js";
import { connect } from "../../../src/entry/client-node.js";
import { type BoundNotes, startBoundNotes } from "./bound.js";
import {
  type Login,
  type Notes,
  REDIRECT,
  browser,
  host,
  principal,
  startLogin,
  startNotes,
  tampered,
} from "./world.js";

/** Tokens bound to a key, by a real authorization server, at a server that takes no others. */
let login: Login;
let notes: BoundNotes;
/** A server of the same authorization server's, for bearer tokens. */
let plain: Notes;

beforeAll(async () => {
  const own = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"] };
  const known = {
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    application_type: "native",
  } as const;
  login = await startLogin([
    { client_id: "robot", client_secret: "robot's", ...own },
    { client_id: "desk", client_secret: "desk's", ...known },
  ]);
  notes = await startBoundNotes(login);
  plain = await startNotes(login);
});
afterAll(async () => {
  await notes.close();
  await plain.close();
  await login.close();
});
beforeEach(() => {
  login.nonces = false;
  notes.nonce = undefined;
  notes.distrust = undefined;
  notes.offers = undefined;
  notes.onNonceAsked = () => undefined;
  for (const list of [login.asked, notes.shown, notes.proofs, notes.refused]) list.length = 0;
});

const bound = (options: Partial<OAuthOptions> = {}) => host({ dpop: true, ...options });
const enter = ({ authorization }: ReturnType<typeof host>, { url } = notes as { url: string }) =>
  connect(url, { authorization, log: false });
const tokenRequests = () => login.requests("/token");
const claimsIn = (proof: string | undefined) => decodeJwt(proof ?? "");
const keyIn = (proof: string | undefined) =>
  calculateJwkThumbprint(decodeProtectedHeader(proof ?? "").jwk ?? {});
const desk = () => [{ issuer: login.issuer, clientId: "desk", clientSecret: "desk's" }];

describe("A token that is bound to a key", () => {
  it("is asked for with a proof, and the code before it with the key's thumbprint", async () => {
    let page: URL | undefined;
    const follow = browser();
    const made = bound({
      authorize: (url, request) => follow((page = url), request),
    });
    const client = await enter(made);
    expect(await principal(client)).toMatchObject({ subject: "ada", scopes: ["notes:read"] });
    const [asked, ...others] = tokenRequests();
    expect(others).toEqual([]);
    expect(claimsIn(asked?.proof)).toMatchObject({ htm: "POST", htu: `${login.issuer}/token` });
    expect(page?.searchParams.get("dpop_jkt")).toBe(await keyIn(asked?.proof));
    await client.close();
  });

  it.each([
    ["node", connect],
    ["fetch", connectByFetch],
  ])("is shown with a new proof for each request: over %s", async (_, connecting) => {
    const { authorization } = bound();
    const client = await connecting(notes.url, { authorization, log: false });
    await Promise.all([principal(client), principal(client), client.listTools().all()]);
    expect(notes.refused).toEqual([""]);
    expect(notes.proofs.length).toBeGreaterThanOrEqual(4);
    const all = notes.proofs.map(claimsIn);
    expect(new Set(all.map(({ jti }) => jti)).size).toBe(all.length);
    for (const claims of all) expect(claims).toMatchObject({ htm: "POST", htu: notes.url });
    const [first, ...shown] = notes.shown;
    expect(first).toBeUndefined();
    for (const header of shown) expect(header).toMatch(/^DPoP ey/);
    const keys = await Promise.all([tokenRequests()[0]?.proof, ...notes.proofs].map(keyIn));
    expect(new Set(keys).size).toBe(1);
    await client.close();
  });

  it("has a proof without what the endpoint's query holds", async () => {
    const { url } = notes;
    notes = Object.assign(notes, { url: `${url}?tenant=1` });
    const client = await enter(bound());
    await client.close();
    notes = Object.assign(notes, { url });
    expect(claimsIn(notes.proofs[0])["htu"]).toBe(url);
  });

  it("keeps results that may be kept: another proof is no other caller", async () => {
    const client = await enter(bound());
    await client.listTools().all();
    const sent = notes.proofs.length;
    const kept = await client.listTools().all();
    expect(kept.length).toBeGreaterThan(0);
    expect(notes.proofs.length - sent).toBe(0);
    await client.close();
  });

  it("is renewed under the same key", async () => {
    const made = bound();
    const client = await enter(made);
    made.ahead = 600_000;
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    const [first, second] = tokenRequests();
    expect(second?.form.get("grant_type")).toBe("refresh_token");
    expect(await keyIn(second?.proof)).toBe(await keyIn(first?.proof));
    expect(made.sent).toHaveLength(1);
    await client.close();
  });

  it("is asked for again with more scopes where the server's DPoP challenge says so", async () => {
    const made = bound();
    const client = await enter(made);
    const scopes = ["notes:read", "notes:write"];
    expect(await principal(client, "write")).toMatchObject({ scopes });
    expect(made.sent).toHaveLength(2);
    await client.close();
  });

  it("is for those who want it: no other authorization has anything to prove", () => {
    expect(host().authorization.accessTo(notes.url).prover).toBeUndefined();
    expect(host({ dpop: false }).authorization.accessTo(notes.url).prover).toBeUndefined();
    expect(bound().authorization.accessTo(notes.url).prover).toBeDefined();
  });

  it("may be a client's own", async () => {
    const clients = [{ issuer: login.issuer, clientId: "robot", clientSecret: "robot's" }];
    const authorization = ownAuthorization({ clients, dpop: true }, Date.now);
    const client = await connect(notes.url, { authorization });
    expect(await principal(client)).toMatchObject({ subject: "robot" });
    await client.close();
  });

  it("is in nothing that is printed, nor is its key", async () => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    const { d } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as { d: string };
    const made = bound({ dpop: pair });
    const client = await enter(made);
    const printed = inspect([client, made.authorization], { depth: 20, showHidden: true });
    expect(printed).not.toContain(d);
    expect(printed).not.toContain(notes.shown.at(-1)?.slice("DPoP ".length));
    expect(printed).not.toContain(notes.proofs.at(-1));
    await client.close();
  });
});

describe("A nonce", () => {
  it("of the authorization server is in a second request, for the same code", async () => {
    login.nonces = true;
    const made = bound();
    await (await enter(made)).close();
    const [first, second, ...others] = tokenRequests();
    expect(others).toEqual([]);
    expect(claimsIn(first?.proof)["nonce"]).toBeUndefined();
    expect(claimsIn(second?.proof)["nonce"]).toEqual(expect.any(String));
    expect(second?.form.get("code")).toBe(first?.form.get("code"));
    expect(made.sent).toHaveLength(1);
  });

  it("of the server is in the request sent again, and in those that follow", async () => {
    notes.nonce = "n-1";
    const client = await enter(bound());
    expect(notes.refused).toEqual(["", "use_dpop_nonce"]);
    await principal(client);
    await principal(client);
    expect(notes.refused).toHaveLength(2);
    notes.nonce = "n-2";
    await Promise.all([principal(client), principal(client)]);
    expect(notes.refused.length).toBeLessThanOrEqual(4);
    expect(claimsIn(notes.proofs.at(-1))["nonce"]).toBe("n-2");
    expect(tokenRequests()).toHaveLength(1);
    await client.close();
  });

  it.each([
    ["node", connect],
    ["fetch", connectByFetch],
  ])("that comes with an answer spares the next refusal: over %s", async (_, connecting) => {
    const { authorization } = bound();
    const client = await connecting(notes.url, { authorization, log: false });
    notes.offers = "n-1";
    await principal(client);
    notes.nonce = "n-1";
    await principal(client);
    expect(notes.refused).toEqual([""]);
    await client.close();
  });

  it("of the one is never shown to the other", async () => {
    login.nonces = true;
    notes.nonce = "n-1";
    const made = bound();
    const client = await enter(made);
    made.ahead = 600_000;
    await principal(client);
    for (const { proof } of tokenRequests()) expect(claimsIn(proof)["nonce"]).not.toBe("n-1");
    for (const proof of notes.proofs) expect(claimsIn(proof)["nonce"]).toBe("n-1");
    await client.close();
  });

  it("that an authorization server always wants another of ends it at the second request", async () => {
    let asked = 0;
    const fetch = tampered((url) => {
      if (url.pathname !== "/token") return undefined;
      const headers = { "dpop-nonce": `n-${String((asked += 1))}` };
      return Response.json({ error: "use_dpop_nonce" }, { status: 400, headers });
    });
    const made = bound({ fetch });
    await expect(enter(made)).rejects.toMatchObject({
      fault: "token_refused",
      oauthError: "use_dpop_nonce",
    });
    expect(asked).toBe(2);
    expect(made.sent).toHaveLength(1);
  });

  it("that a server always wants another of ends the request as any refusal does", async () => {
    const client = await enter(bound());
    notes.shown.length = 0;
    notes.onNonceAsked = () => {
      notes.nonce = `n-${String(notes.shown.length)}`;
    };
    notes.nonce = "n-0";
    await expect(principal(client)).rejects.toMatchObject({ code: "unauthorized" });
    expect(notes.shown).toHaveLength(4);
    expect(tokenRequests()).toHaveLength(1);
    await client.close();
  });

  it.each([undefined, "", "two words", 'a"quote', "x".repeat(2049)])(
    "that is none, such as %j, ends the request at once",
    async (nonce) => {
      const client = await enter(bound());
      notes.shown.length = 0;
      notes.distrust = "use_dpop_nonce";
      notes.nonce = nonce;
      await expect(principal(client)).rejects.toMatchObject({ code: "unauthorized" });
      expect(notes.shown).toHaveLength(1);
      expect(tokenRequests()).toHaveLength(1);
      await client.close();
    },
  );
});

it("a proof the server does not believe ends the request: no other token would help", async () => {
  const made = bound();
  const client = await enter(made);
  notes.shown.length = 0;
  notes.distrust = "invalid_dpop_proof";
  await expect(principal(client)).rejects.toMatchObject({ code: "unauthorized" });
  expect(notes.shown).toHaveLength(1);
  expect(tokenRequests()).toHaveLength(1);
  expect(made.sent).toHaveLength(1);
  await client.close();
});

describe("A key", () => {
  it("of the host's own is used by whoever is given it next, with the tokens that were kept", async () => {
    const store = new MemoryCredentialStore();
    const dpop: DpopKeyPair = await generateKeyPair("ES256");
    await (await enter(bound({ store, dpop }))).close();
    const again = bound({ store, dpop });
    const client = await enter(again);
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    expect(again.sent).toEqual([]);
    expect(tokenRequests()).toHaveLength(1);
    await client.close();
  });

  it("that is lost takes a public client's tokens with it: the person is asked again", async () => {
    const store = new MemoryCredentialStore();
    await (await enter(bound({ store }))).close();
    const lost = notes.shown.at(-1);
    notes.shown.length = 0;
    const again = bound({ store });
    const client = await enter(again);
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    expect(again.sent).toHaveLength(1);
    expect(notes.shown).not.toContain(lost);
    expect(login.requests("/reg")).toHaveLength(1);
    await client.close();
  });

  it("that is lost leaves a client with a secret its refresh token: nobody is asked", async () => {
    const store = new MemoryCredentialStore();
    await (await enter(bound({ store, clients: desk() }))).close();
    const again = bound({ store, clients: desk() });
    const client = await enter(again);
    expect(await principal(client)).toMatchObject({ subject: "ada", client: "desk" });
    expect(again.sent).toEqual([]);
    await client.close();
  });

  it.each(["invalid_grant", "invalid_dpop_proof"])(
    "that is lost is heard of by %s",
    async (error) => {
      const store = new MemoryCredentialStore();
      await (await enter(bound({ store, clients: desk() }))).close();
      const fetch: AuthFetch = async (url, init) =>
        String(init.body as URLSearchParams | null).includes("grant_type=refresh_token")
          ? Response.json({ error }, { status: 400 })
          : globalThis.fetch(url, init);
      const again = bound({ store, clients: desk(), fetch });
      await (await enter(again)).close();
      expect(again.sent).toHaveLength(1);
    },
  );

  it("that is at hand keeps its refresh token where a proof is refused", async () => {
    const store = new MemoryCredentialStore();
    let refused = 0;
    const made = bound({
      store,
      fetch: async (url, init) =>
        url.endsWith("/token") && made.ahead > 0
          ? Response.json({ error: "invalid_dpop_proof", n: (refused += 1) }, { status: 400 })
          : fetch(url, init),
    });
    const client = await enter(made);
    const kept = () => store.get(login.issuer)?.tokens?.[notes.url]?.refreshToken;
    const before = kept();
    made.ahead = 600_000;
    expect(await principal(client)).toMatchObject({ subject: "ada" }); // by the token there is
    expect(refused).toBe(1);
    expect(kept()).toBe(before);
    expect(before).toBeDefined();
    await client.close();
  });

  it("is another one for each authorization server, unless the host has one", async () => {
    const other = await startLogin();
    const elsewhere = await startBoundNotes(other);
    const keysOf = async (options: Partial<OAuthOptions>) => {
      const { authorization } = bound(options);
      await (await connect(notes.url, { authorization })).close();
      await (await connect(elsewhere.url, { authorization })).close();
      return Promise.all([notes.proofs.at(-1), elsewhere.proofs.at(-1)].map(keyIn));
    };
    const [here, there] = await keysOf({});
    expect(here).not.toBe(there);
    const [one, same] = await keysOf({ dpop: await generateKeyPair("ES256") });
    expect(one).toBe(same);
    await elsewhere.close();
    await other.close();
  });
});

describe("Tokens of one kind", () => {
  it("that were kept without a key are not shown once there is one, and the other way", async () => {
    const store = new MemoryCredentialStore();
    const kept = () => store.get(login.issuer)?.tokens?.[plain.url];
    await (await enter(host({ store, clients: desk() }), plain)).close();
    expect(kept()?.boundTo).toBeUndefined();
    const bearer = plain.shown.at(-1);

    plain.shown.length = 0;
    // This server takes no bound tokens, which is beside the point here.
    await expect(enter(bound({ store, clients: desk() }), plain)).rejects.toBeDefined();
    expect(kept()?.boundTo).toMatch(/^[\w-]{43}$/);
    const tokens = plain.shown.flatMap((header) => header?.split(" ")[1] ?? []);
    expect(tokens.length).toBeGreaterThan(0);
    expect(tokens).not.toContain(bearer?.split(" ")[1]);

    plain.shown.length = 0;
    const client = await enter(host({ store, clients: desk() }), plain);
    expect(await principal(client)).toMatchObject({ client: "desk" });
    expect(kept()?.boundTo).toBeUndefined();
    for (const header of plain.shown) {
      expect(header ?? "Bearer").toMatch(/^Bearer/);
      expect(tokens).not.toContain(header?.split(" ")[1]);
    }
    await client.close();
  });

  it.each([
    [true, "Bearer"],
    [false, "DPoP"],
  ])("are not taken for the other: dpop %j, token_type %s", async (dpop, token_type) => {
    const fetch = tampered((url, body) =>
      url.pathname === "/token" ? { ...body, token_type } : undefined,
    );
    const failure = enter(host({ dpop, fetch }), dpop ? notes : plain);
    await expect(failure).rejects.toMatchObject({ fault: "token_invalid" });
  });

  it.each([undefined, ["RS256", "Ed25519"], "ES256"])(
    "are not asked for where the authorization server does not bind them: %j",
    async (algorithms) => {
      const fetch = tampered((url, body) =>
        url.pathname.startsWith("/.well-known/")
          ? { ...body, dpop_signing_alg_values_supported: algorithms }
          : undefined,
      );
      const made = bound({ fetch });
      await expect(enter(made)).rejects.toMatchObject({ fault: "dpop_unsupported" });
      expect(made.sent).toEqual([]);
      expect(login.requests("/reg")).toEqual([]);
    },
  );
});

describe("A key pair", () => {
  const make = (dpop: unknown) => () =>
    oauth({ redirectUri: REDIRECT, authorize: () => REDIRECT, dpop: dpop as DpopKeyPair });
  const usage = expect.objectContaining({ code: "usage" }) as Error;

  it("is for ES256, and need not be one that can be exported", async () => {
    expect(make(await generateKeyPair("ES256"))).not.toThrow();
    expect(make(await generateKeyPair("ES384"))).toThrow(usage);
    expect(make(await generateKeyPair("RS256"))).toThrow(usage);
  });

  it("has both its keys, each in its place", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const forAgreement = await crypto.subtle.generateKey(
      { name: "ECDH", namedCurve: "P-256" },
      true,
      ["deriveBits"],
    );
    for (const pair of [
      { privateKey: publicKey, publicKey: privateKey },
      { privateKey },
      { publicKey },
      { privateKey: "canary", publicKey: "canary" },
      {},
      forAgreement,
    ]) {
      expect(make(pair)).toThrow(usage);
    }
  });
});
