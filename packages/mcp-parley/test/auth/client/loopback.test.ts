import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Loopback, loopback } from "../../../src/auth/client/loopback.js";
import {
  type Login,
  type Notes,
  browser,
  host,
  principal,
  startLogin,
  startNotes,
} from "./world.js";

/** A person who comes back to a process of their own machine. */
let login: Login;
let notes: Notes;
let made: Loopback;
/** What the person's browser does with the page it is shown. */
let show: (url: URL) => Promise<void>;
let read: string;

beforeAll(async () => {
  login = await startLogin();
  notes = await startNotes(login);
  made = await loopback({ port: 0, open: (url) => show(url), message: "Back!" });
});
afterAll(async () => {
  await made.close();
  await notes.close();
  await login.close();
});

const visit = async (url: string | URL, init: RequestInit = {}): Promise<string> => {
  const response = await fetch(url, init);
  return `${response.status} ${await response.text()}`;
};
const goThere = async (url: URL): Promise<void> => {
  const request = { server: "", issuer: "", scopes: [], signal: new AbortController().signal };
  const back = await browser(made.redirectUri)(url, request);
  read = await visit(back.toString());
};
beforeEach(() => {
  login.consent = "all";
  show = goThere;
});

it("takes a person there and back", async () => {
  const client = await host(made).connect(notes);
  expect(await principal(client)).toMatchObject({ subject: "ada" });
  expect(read).toBe("200 Back!");
  await client.close();
});

it("hears a person's no, and does not tell them that they are signed in", async () => {
  login.consent = "none";
  await expect(host(made).connect(notes)).rejects.toMatchObject({ fault: "denied" });
  expect(read).toBe("200 You may close this page.");
});

it("turns away who is not expected, and goes on waiting for who is", async () => {
  const turned: string[] = [];
  show = async (url) => {
    const state = url.searchParams.get("state") ?? "";
    turned.push(
      await visit(`${made.redirectUri}?code=1`),
      await visit(`${made.redirectUri}?code=1&state=other`),
      await visit(`${new URL(made.redirectUri).origin}/?code=1&state=${state}`),
      await visit(`${made.redirectUri}?code=1&state=${state}`, { method: "POST" }),
    );
    await goThere(url);
  };
  await (await host(made).connect(notes)).close();
  expect(turned).toEqual(Array(4).fill("404 Nobody is expected here."));
});

it("lets nobody back whose call has been given up, nor twice", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  let page: URL | undefined;
  const { redirectUri, authorize } = made;
  show = async (url) => {
    page = url;
    controller.abort(new Error("enough"));
  };
  const { authorization } = host({ redirectUri, authorize });
  const { connect } = await import("../../../src/entry/client-node.js");
  await expect(connect(notes.url, { authorization, signal })).rejects.toBeDefined();
  const state = page?.searchParams.get("state") ?? "";
  expect(await visit(`${redirectUri}?code=1&state=${state}`)).toContain("404");
});

it("tells that its port is taken", async () => {
  const port = Number(new URL(made.redirectUri).port);
  await expect(loopback({ port, open: () => undefined })).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});
