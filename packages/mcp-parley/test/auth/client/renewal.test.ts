import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MemoryCredentialStore } from "../../../src/auth/client/store.js";
import type { Client } from "../../../src/client/client.js";
import {
  type Host,
  type Login,
  type Notes,
  host,
  principal,
  startLogin,
  startNotes,
} from "./world.js";

/** How long an access token of this world lives, in ms. */
const LIFE = 600_000;

let login: Login;
let notes: Notes;
let store: MemoryCredentialStore;
let made: Host;
let client: Client;
/** What the token endpoint answers instead of the truth. */
let instead: (() => Response) | undefined;

beforeAll(async () => {
  login = await startLogin();
  notes = await startNotes(login);
});
afterAll(async () => {
  await notes.close();
  await login.close();
});
beforeEach(async () => {
  instead = undefined;
  store = new MemoryCredentialStore();
  made = host({
    store,
    async fetch(url, init) {
      const given = url.endsWith("/token") ? instead?.() : undefined;
      return given ?? fetch(url, init);
    },
  });
  client = await made.connect(notes);
  login.asked.length = 0;
  notes.shown.length = 0;
});
afterEach(() => client.close());

const kept = () => store.get(login.issuer)?.tokens?.[notes.url];
const grants = () => login.requests("/token").map(({ form }) => form.get("grant_type"));
const refusing = (error: string) => () => Response.json({ error }, { status: 400 });

describe("An access token", () => {
  it("is renewed before it ends, for this server, and each refresh token is used once", async () => {
    const first = kept();
    made.ahead = LIFE - 5_000;
    expect(await principal(client)).toMatchObject({ subject: "ada", scopes: ["notes:read"] });
    expect(login.requests("/token")[0]?.form.get("resource")).toBe(notes.url);
    const second = kept();
    made.ahead = 0; // the new one ends later, by the real clock
    await principal(client);
    made.ahead = 2 * LIFE;
    await principal(client);
    expect(grants()).toEqual(["refresh_token", "refresh_token"]);
    const used = login.requests("/token").map(({ form }) => form.get("refresh_token"));
    expect(used).toEqual([first?.refreshToken, second?.refreshToken]);
    expect(new Set([...used, kept()?.refreshToken]).size).toBe(3);
    expect(made.sent).toHaveLength(1);
  });

  it("is renewed once for all requests that need it", async () => {
    made.ahead = LIFE;
    await Promise.all([principal(client), principal(client), principal(client)]);
    expect(grants()).toEqual(["refresh_token"]);
  });

  it("is renewed where the server takes it no more, and the request repeated", async () => {
    const first = kept()?.accessToken;
    notes.revoked.add(`Bearer ${String(first)}`);
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    expect(grants()).toEqual(["refresh_token"]);
    expect(notes.shown).toEqual([
      `Bearer ${String(first)}`,
      `Bearer ${String(kept()?.accessToken)}`,
    ]);
    expect(made.sent).toHaveLength(1);
  });

  it("is used on while the authorization server is away", async () => {
    made.ahead = LIFE - 5_000;
    instead = () => new Response("", { status: 500 });
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    expect(notes.shown).toEqual([`Bearer ${String(kept()?.accessToken)}`]);
  });
});

it("A refresh token is not given up for an authorization server that is busy, nor the person asked", async () => {
  const first = kept();
  notes.revoked.add(`Bearer ${String(first?.accessToken)}`);
  instead = refusing("temporarily_unavailable");
  await expect(principal(client)).rejects.toMatchObject({
    fault: "token_refused",
    oauthError: "temporarily_unavailable",
  });
  expect(kept()).toEqual(first);
  instead = undefined;
  expect(await principal(client)).toMatchObject({ subject: "ada" });
  expect(made.sent).toHaveLength(1);
});

describe("A refresh token that is good no more", () => {
  it("is forgotten, and the person asked for what they had granted", async () => {
    const first = kept();
    notes.revoked.add(`Bearer ${String(first?.accessToken)}`);
    instead = () => {
      instead = undefined;
      return refusing("invalid_grant")();
    };
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    expect(made.sent).toEqual([made.sent[0], made.sent[0]]);
    expect(kept()?.refreshToken).not.toBe(first?.refreshToken);
  });

  it("takes a registration that is gone with it: the client registers anew", async () => {
    const first = store.get(login.issuer)?.registration;
    made.ahead = LIFE;
    instead = () => {
      instead = undefined;
      return refusing("invalid_client")();
    };
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    const second = store.get(login.issuer)?.registration;
    expect(second?.clientId).not.toBe(first?.clientId);
    expect(kept()?.clientId).toBe(second?.clientId);
  });
});

describe("A server that takes no token at all", () => {
  it("is asked a few times, with the person in between once, and its refusal stands", async () => {
    const refuseAll = notes.revoked;
    const has = refuseAll.has.bind(refuseAll);
    refuseAll.has = () => true;
    await expect(principal(client)).rejects.toMatchObject({ code: "unauthorized" });
    refuseAll.has = has;
    expect(notes.shown).toHaveLength(3 + 1);
    expect(new Set(notes.shown).size).toBe(4); // none of the tokens twice
    expect(made.sent).toHaveLength(1 + 1);
  });
});
