import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../../src/client/client.js";
import type { WorkloadIdentityOptions } from "../../../src/auth/client/options.js";
import { workloadIdentity } from "../../../src/entry/client-auth.js";
import { connect } from "../../../src/entry/client-node.js";
import { JWT_BEARER, takeAssertions } from "./grants.js";
import { type Login, type Notes, principal, startLogin, startNotes } from "./world.js";

/** A workload whose platform says who it is, at an authorization server that trusts the platform. */
let platform: Login;
let login: Login;
let notes: Notes;
let given: string[];

beforeAll(async () => {
  platform = await startLogin();
  login = await startLogin([
    {
      client_id: "workload",
      token_endpoint_auth_method: "none",
      redirect_uris: [],
      response_types: [],
      grant_types: [JWT_BEARER],
    },
  ]);
  takeAssertions(login, platform, "workload");
  notes = await startNotes(login);
});
afterAll(async () => {
  await notes.close();
  await login.close();
  await platform.close();
});
beforeEach(() => {
  login.asked.length = 0;
  given = [];
});

const assert = async (claims: object = {}): Promise<string> => {
  const token = await platform.sign({ sub: "system:job:7", aud: login.issuer, ...claims });
  given.push(token);
  return token;
};

function enter(options: Partial<WorkloadIdentityOptions> = {}): Promise<Client> {
  const authorization = workloadIdentity({
    clients: [{ issuer: login.issuer, clientId: "workload" }],
    assertion: () => assert(),
    ...options,
  });
  return connect(notes.url, { authorization, log: false });
}

describe("A workload", () => {
  it("is let in by its own token, and shows nothing else", async () => {
    const client = await enter();
    const caller = { issuer: login.issuer, subject: "system:job:7", client: "workload" };
    expect(await principal(client)).toEqual({ ...caller, scopes: ["notes:read"] });
    const [asked, ...others] = login.requests("/token");
    expect(others).toEqual([]);
    expect(asked?.authorization).toBeUndefined();
    expect(Object.fromEntries(asked?.form ?? [])).toEqual({
      grant_type: JWT_BEARER,
      assertion: given[0],
      resource: notes.url,
      scope: "notes:read",
      client_id: "workload",
    });
    await client.close();
  });

  it("gives its token anew each time tokens are needed, for who takes it", async () => {
    const asked: object[] = [];
    const client = await enter({
      assertion(request) {
        asked.push(request);
        return assert();
      },
    });
    notes.revoked.add(notes.shown.at(-1));
    expect(await principal(client)).toMatchObject({ subject: "system:job:7" });
    expect(given).toHaveLength(2);
    expect(login.requests("/token")[1]?.form.get("assertion")).toBe(given[1]);
    for (const request of asked) {
      expect(request).toMatchObject({ server: notes.url, issuer: login.issuer });
    }
    await client.close();
  });

  it("needs no client id where its token says enough", async () => {
    const sent: URLSearchParams[] = [];
    const client = await enter({
      clients: [{ issuer: login.issuer }],
      // The provider of these tests wants an id of every client, and gets it here.
      fetch(url, init) {
        if (!url.endsWith("/token")) return fetch(url, init);
        const form = new URLSearchParams(String(init.body as URLSearchParams));
        sent.push(new URLSearchParams(form));
        form.set("client_id", "workload");
        return fetch(url, { ...init, body: form.toString() });
      },
    });
    expect(await principal(client)).toMatchObject({ subject: "system:job:7" });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.has("client_id")).toBe(false);
    expect(login.requests("/token")[0]?.authorization).toBeUndefined();
    await client.close();
  });

  it("has no key without an id to go with it", async () => {
    const clients = [{ issuer: login.issuer, clientSecret: "canary" }];
    await expect(enter({ clients })).rejects.toMatchObject({ fault: "client_unknown" });
    expect(login.requests("/token")).toEqual([]);
  });

  it.each([
    ["has ended", { exp: Math.floor(Date.now() / 1000) - 60 }],
    ["is for another", { aud: "https://other.example" }],
    ["is by another", { iss: "https://other.example" }],
  ])("is refused where its token %s: once, and nothing else is tried", async (_, claims) => {
    const failure = await enter({ assertion: () => assert(claims) }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ fault: "token_refused", oauthError: "invalid_grant" });
    expect(login.requests("/token")).toHaveLength(1);
    expect(login.requests("/reg")).toEqual([]);
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(given[0]);
  });

  it("asserts nothing to an authorization server that is not among its clients", async () => {
    const clients = [{ issuer: "https://other.example", clientId: "workload" }];
    await expect(enter({ clients })).rejects.toMatchObject({ fault: "client_unknown" });
    expect(given).toEqual([]);
  });
});
