import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
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

/** The tool `write` needs `notes:read` and `notes:write`; connecting needs `notes:read` alone. */
let login: Login;
let notes: Notes;
let made: Host;
let client: Client;

beforeAll(async () => {
  login = await startLogin();
  notes = await startNotes(login);
});
afterAll(async () => {
  await notes.close();
  await login.close();
});
beforeEach(async () => {
  login.consent = "all";
  made = host();
  client = await made.connect(notes);
  login.asked.length = 0;
});
afterEach(() => client.close());

const READ = ["notes:read", "offline_access"];

describe("A request that needs more scopes", () => {
  it("is repeated once the person has granted them, with those they had granted before", async () => {
    const both = { scopes: ["notes:read", "notes:write"] };
    expect(await principal(client, "write")).toMatchObject(both);
    expect(made.sent).toEqual([READ, [...READ, "notes:write"]]);
    expect(await principal(client)).toMatchObject(both);
    expect(await principal(client, "write")).toMatchObject(both);
    expect(made.sent).toHaveLength(2);
  });

  it("asks the person once, however many need them at the same time", async () => {
    await Promise.all([principal(client, "write"), principal(client, "write")]);
    expect(made.sent).toHaveLength(2);
  });

  it("is refused where the person does not grant them, and they are not asked again and again", async () => {
    login.consent = ["notes:read"];
    for (let calls = 1; calls <= 3; calls += 1) {
      await expect(principal(client, "write")).rejects.toMatchObject({ code: "rpc" });
    }
    expect(made.sent).toHaveLength(2);
    expect(await principal(client)).toMatchObject({ scopes: ["notes:read"] });

    const next = await made.connect(notes); // whoever connects anew may ask anew
    await expect(principal(next, "write")).rejects.toMatchObject({ code: "rpc" });
    expect(made.sent).toHaveLength(3);
    await next.close();
  });

  it("ends with the person's no; what they had granted is still good", async () => {
    login.consent = "none";
    await expect(principal(client, "write")).rejects.toMatchObject({
      code: "authorization_failed",
      fault: "denied",
    });
    expect(await principal(client)).toMatchObject({ scopes: ["notes:read"] });
  });
});
