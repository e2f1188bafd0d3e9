import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { connect } from "../../../src/entry/client.js";
import {
  type Login,
  type Notes,
  host,
  principal,
  startLogin,
  startNotes,
  tampered,
} from "./world.js";

let login: Login;
let notes: Notes;
beforeAll(async () => {
  login = await startLogin();
  notes = await startNotes(login);
});
afterAll(async () => {
  await notes.close();
  await login.close();
});
afterEach(() => {
  vi.restoreAllMocks();
});

it("an access token is shown in the header of every request, and in nothing else of it", async () => {
  const { authorization } = host();
  const client = await connect(notes.url, { authorization });
  const spy = vi.spyOn(globalThis, "fetch"); // which goes on fetching
  notes.shown.length = 0;
  await client.listTools().all();
  await principal(client);
  const [header, ...others] = notes.shown;
  expect(header).toMatch(/^Bearer .{100,}$/);
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) expect(other).toBe(header);

  const token = String(header).slice("Bearer ".length);
  expect(spy).toHaveBeenCalledTimes(notes.shown.length);
  for (const [url, init] of spy.mock.calls) {
    expect(inspect(url)).toContain(notes.url);
    expect(inspect([url, init?.body])).not.toContain(token);
  }
  await client.close();
});

it("where no refresh token is given, the person is asked again once the access token is refused", async () => {
  const fetch = tampered((url, { refresh_token: _, ...body }) =>
    url.pathname === "/token" ? body : undefined,
  );
  const made = host({ fetch });
  const client = await made.connect(notes);
  notes.revoked.add(notes.shown.at(-1));
  expect(await principal(client)).toMatchObject({ subject: "ada" });
  expect(made.sent).toHaveLength(2);
  expect(login.requests("/token").map(({ form }) => form.get("grant_type"))).not.toContain(
    "refresh_token",
  );
  await client.close();
});
