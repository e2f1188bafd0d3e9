import { afterEach, beforeEach, expect, it } from "vitest";
import { MemoryCredentialStore } from "../../../src/auth/client/store.js";
import {
  type Login,
  type Notes,
  REDIRECT,
  host,
  principal,
  startLogin,
  startNotes,
} from "./world.js";

/** A server that changes its authorization server: specification, Authorization Server Binding. */
let before: Login;
let after: Login;
let notes: Notes;

beforeEach(async () => {
  const known = { client_id: "desktop", client_secret: "canary", redirect_uris: [REDIRECT] };
  before = await startLogin([{ ...known, application_type: "native" }]);
  after = await startLogin();
  notes = await startNotes(before);
});
afterEach(async () => {
  await Promise.all([notes.close(), before.close(), after.close()]);
});

const everythingAsked = (): string =>
  JSON.stringify(after.asked.map((asked) => [asked.authorization, asked.form.toString()]));

it("gets a client that registers there, and nothing of what was the old one's", async () => {
  const store = new MemoryCredentialStore();
  const made = host({ store });
  const client = await made.connect(notes);
  const old = store.get(before.issuer);
  const oldTokens = old?.tokens?.[notes.url];
  notes.moveTo(after);
  notes.shown.length = 0;
  before.asked.length = 0;

  expect(await principal(client)).toMatchObject({ issuer: after.issuer, subject: "ada" });
  expect(made.sent).toHaveLength(2);
  expect(after.requests("/reg")).toHaveLength(1);
  expect(before.asked).toEqual([]);
  for (const secret of [
    old?.registration?.clientId,
    oldTokens?.accessToken,
    oldTokens?.refreshToken,
  ]) {
    expect(secret?.length).toBeGreaterThan(10);
    expect(everythingAsked()).not.toContain(secret);
  }
  const isOld = (header: string | undefined) =>
    header === `Bearer ${String(oldTokens?.accessToken)}`;
  expect(notes.shown.map(isOld)).toEqual([true, false]); // once, before it could know
  expect(store.get(before.issuer)).toEqual(old);
  expect(store.get(after.issuer)?.tokens?.[notes.url]?.accessToken).toBeDefined();
  await client.close();
});

it("is told to a host whose client is known to the old one alone; its secret goes nowhere", async () => {
  const clients = [{ issuer: before.issuer, clientId: "desktop", clientSecret: "canary" }];
  const made = host({ clients });
  const client = await made.connect(notes);
  notes.moveTo(after);
  await expect(principal(client)).rejects.toMatchObject({ fault: "client_unknown" });
  expect(made.sent).toHaveLength(1);
  expect(everythingAsked()).not.toContain("canary");
  await client.close();
});

it("is gone back from: what the first one gave is still known there", async () => {
  const made = host();
  const client = await made.connect(notes);
  notes.moveTo(after);
  await principal(client);
  notes.moveTo(before);
  expect(await principal(client)).toMatchObject({ issuer: before.issuer });
  expect(made.sent).toHaveLength(2);
  await client.close();
});
