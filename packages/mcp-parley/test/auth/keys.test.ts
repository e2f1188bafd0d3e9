import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../support/authorization-server.js";
import type { Door } from "../transport/doors.js";
import { type Guard, RESOURCE, ask, call, guard, localIssuer, open } from "./guarded.js";

let provider: AuthorizationServer;
let guarded: Guard;
let door: Door;

const tokenOf = async (user: string): Promise<string> =>
  (await provider.token({ user, resource: RESOURCE })).access;
const statusOf = async (token: string): Promise<number> =>
  (await ask(door, call("whoami"), token)).status;
const fetches = (): string[] => provider.asked.filter((path) => /well-known|jwks/.test(path));

/** Moves the time of jose's cache and of our own. */
function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  provider = await startAuthorizationServer(7200);
  guarded = guard({ issuer: provider.issuer });
  door = await open(guarded);
});
afterEach(async () => {
  vi.useRealTimers();
  await provider.close();
});

describe("Keys of a provider", () => {
  it("are not fetched before they are needed, then found by its metadata, once for all who wait", async () => {
    expect(fetches()).toEqual([]);
    const tokens = await Promise.all(["ada", "bob", "cy"].map(tokenOf));
    expect(await Promise.all([...tokens, ...tokens].map(statusOf))).toEqual(Array(6).fill(200));
    const metadata = fetches().filter((path) => path.startsWith("/.well-known/"));
    expect(new Set(metadata).size).toBe(metadata.length);
    expect(fetches()).toEqual([...metadata, "/jwks"]);
  });

  it("are fetched again when it signs with a new one, and the old one is then refused", async () => {
    const before = await tokenOf("ada");
    expect(await statusOf(before)).toBe(200);
    await provider.rotate();
    pass(31_000);
    expect(await statusOf(await tokenOf("ada"))).toBe(200);
    expect(await statusOf(before)).toBe(401);
    expect(guarded.faults).toEqual(["key"]);
  });

  it("that it has withdrawn are believed for ten minutes at most", async () => {
    const before = await tokenOf("ada");
    expect(await statusOf(before)).toBe(200);
    await provider.rotate();
    pass(599_000);
    expect(await statusOf(before)).toBe(200);
    pass(2_000);
    expect(await statusOf(before)).toBe(401);
  });

  it("are asked for once in half a minute, however many made-up ones tokens name", async () => {
    expect(await statusOf(await tokenOf("ada"))).toBe(200);
    const forger = await localIssuer(provider.issuer);
    const storm = async (): Promise<void> => {
      const tokens = await Promise.all(
        Array.from({ length: 50 }, (_, i) => forger.sign({}, { kid: `made-up-${String(i)}` })),
      );
      expect(new Set(await Promise.all(tokens.map(statusOf)))).toEqual(new Set([401]));
    };
    const before = fetches().length;
    await storm();
    expect(fetches().length).toBe(before);
    pass(31_000);
    await storm();
    await storm();
    expect(fetches().length).toBe(before + 1);
    expect(await statusOf(await tokenOf("bob"))).toBe(200);
  });
});

describe("While a provider is down", () => {
  it("its tokens are refused with 503 and a time to come back, and no request makes another fetch", async () => {
    const token = await tokenOf("ada");
    provider.mood = "failing";
    const refused = await ask(door, call("whoami"), token);
    expect(refused).toMatchObject({ status: 503, retryAfter: "5", challenge: null });
    const before = fetches().length;
    expect(await Promise.all(Array.from({ length: 20 }, () => statusOf(token)))).toEqual(
      Array(20).fill(503),
    );
    expect(fetches().length).toBe(before);
    expect(guarded.log).toEqual([expect.stringContaining(provider.issuer)]);
    expect(guarded.log.join()).not.toContain(token.slice(0, 20));

    provider.mood = "well";
    pass(5_001);
    expect(await statusOf(token)).toBe(200);
  });

  it("known keys go on serving, though somebody asks for unknown ones", async () => {
    const token = await tokenOf("ada");
    expect(await statusOf(token)).toBe(200);
    provider.mood = "failing";
    pass(31_000);
    const forger = await localIssuer(provider.issuer);
    expect(await statusOf(await forger.sign({}, { kid: "made-up" }))).toBe(503);
    expect(await statusOf(token)).toBe(200);
  });

  it("and after ten minutes none are known", async () => {
    const token = await tokenOf("ada");
    expect(await statusOf(token)).toBe(200);
    provider.mood = "failing";
    pass(601_000);
    expect(await statusOf(token)).toBe(503);
  });

  it("and says nothing at all, the wait is bounded, and one for all", async () => {
    const patient = guard({ issuer: provider.issuer, timeoutMs: 50 });
    door = await open(patient);
    const token = await tokenOf("ada");
    provider.mood = "silent";
    expect(await Promise.all([token, token, token].map(statusOf))).toEqual([503, 503, 503]);
    expect(patient.log).toHaveLength(1);
  });

  it("other providers' tokens are taken", async () => {
    const local = await localIssuer();
    door = await open(guard({ issuer: [provider.issuer, local] }));
    const token = await tokenOf("ada");
    provider.mood = "failing";
    expect(await statusOf(token)).toBe(503);
    expect(await statusOf(await local.sign())).toBe(200);
  });
});
