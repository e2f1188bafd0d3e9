import { inspect } from "node:util";
import { type CryptoKey, SignJWT, exportJWK, exportSPKI, generateKeyPair, importJWK } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { text } from "../../src/server/results.js";
import { createMcpServer } from "../../src/server/server.js";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../support/authorization-server.js";
import { DOORS, type Door, throughFetch } from "../transport/doors.js";
import {
  RESOURCE,
  ask,
  call,
  callerIn,
  guard,
  inAnHour,
  knock,
  localIssuer,
  open,
} from "./guarded.js";

let provider: AuthorizationServer;
let local: Awaited<ReturnType<typeof localIssuer>>;
let ada: string;

beforeAll(async () => {
  provider = await startAuthorizationServer();
  local = await localIssuer();
  ada = (await provider.token({ user: "ada", scope: "notes:read", resource: RESOURCE })).access;
});
afterAll(() => provider.close());

const guarded = () => guard({ issuer: [provider.issuer, local] });

describe.each(DOORS)("A token through %s", (_, through) => {
  it("of a user, from a real authorization server, is its issuer, subject, client and scopes", async () => {
    const door = await open(guarded(), undefined, through);
    expect(callerIn(await ask(door, call("whoami"), ada))).toEqual({
      issuer: provider.issuer,
      subject: "ada",
      client: "desktop",
      scopes: ["notes:read"],
    });
    await door.close();
  });

  it("of a client acting for itself is that client", async () => {
    const door = await open(guarded(), undefined, through);
    const { access } = await provider.token({ client: "robot", resource: RESOURCE });
    const robot = { issuer: provider.issuer, subject: "robot", client: "robot", scopes: [] };
    expect(callerIn(await ask(door, call("whoami"), access))).toEqual(robot);
    await door.close();
  });

  it("that is refused runs nothing, and is told nothing but that", async () => {
    const door = await open(guarded(), undefined, through);
    const refused = await ask(door, call("whoami"), `${ada.slice(0, -3)}AAA`);
    expect(refused).toMatchObject({ status: 401, result: undefined, error: undefined });
    expect(refused.challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"]+"/);
    expect(refused.challenge).not.toContain(ada.slice(0, 20));
    await door.close();
  });
});

describe("A token", () => {
  let door: Door;
  let held: ReturnType<typeof guard>;
  beforeAll(async () => {
    held = guarded();
    door = await open(held);
  });

  const refused = async (token: string): Promise<{ status: number; fault: string | undefined }> => {
    held.faults.length = 0;
    const { status } = await ask(door, call("whoami"), token);
    return { status, fault: held.faults[0] };
  };

  it("is taken until it has expired, and for as long again as clocks may be apart", async () => {
    held.ahead = 610_000;
    expect(await ask(door, call("whoami"), ada)).toMatchObject({ status: 200 });
    held.ahead = 640_000;
    const { status, challenge } = await ask(door, call("whoami"), ada);
    held.ahead = 0;
    expect(status).toBe(401);
    expect(challenge).toContain('error_description="The access token has expired"');
    expect(held.faults).toEqual(["expired"]);
  });

  it("of the same provider for another server is refused", async () => {
    const resource = "https://other.example/mcp";
    const { access } = await provider.token({ user: "ada", resource });
    expect(await refused(access)).toEqual({ status: 401, fault: "audience" });
  });

  it("of a provider nobody trusts is refused, and the provider not asked", async () => {
    const stranger = await startAuthorizationServer();
    const { access } = await stranger.token({ user: "ada", resource: RESOURCE });
    const before = stranger.asked.length;
    expect(await refused(access)).toEqual({ status: 401, fault: "issuer" });
    expect(stranger.asked.length).toBe(before);
    await stranger.close();
  });

  it("that one trusted issuer signed in another's name is refused", async () => {
    const claims = { iss: provider.issuer };
    expect(await refused(await local.sign(claims, { kid: "key-1" }))).toMatchObject({
      status: 401,
    });
    expect(["key", "signature"]).toContain(held.faults[0]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no subject", { sub: undefined }, "malformed"],
    ["an empty subject", { sub: "" }, "malformed"],
    ["a subject that is no text", { sub: 7 }, "malformed"],
    ["a client that is no text", { client_id: ["desktop"] }, "malformed"],
    ["no expiry", { exp: undefined }, "malformed"],
    ["an expiry that is no number", { exp: "tomorrow" }, "malformed"],
    ["no audience", { aud: undefined }, "audience"],
    ["an audience that only begins alike", { aud: `${RESOURCE}/more` }, "audience"],
    ["a time from which it holds", { nbf: inAnHour().exp }, "not_yet_valid"],
    ["a key it is bound to", { cnf: { jkt: "thumbprint" } }, "bound"],
  ])("with %s is refused", async (_, claims, fault) => {
    expect(await refused(await local.sign(claims))).toEqual({ status: 401, fault });
  });

  it("for several servers, this one among them, is taken", async () => {
    const token = await local.sign({ aud: ["https://other.example", RESOURCE] });
    expect(await ask(door, call("whoami"), token)).toMatchObject({ status: 200 });
  });

  it.each([["at+jwt"], ["application/at+jwt"], ["JWT"], [undefined]])(
    "of type %s is taken",
    async (typ) => {
      expect(await ask(door, call("whoami"), await local.sign({}, { typ }))).toMatchObject({
        status: 200,
      });
    },
  );

  it.each(["logout+jwt", "dpop+jwt", "id_token+jwt"])("of type %s is refused", async (typ) => {
    expect(await refused(await local.sign({}, { typ }))).toEqual({ status: 401, fault: "type" });
  });

  it("with an extension it calls critical is refused", async () => {
    const [, payload = "", signature = ""] = (await local.sign()).split(".");
    const header = { alg: "ES256", kid: "local", crit: ["new"], new: true };
    expect(await refused(`${encoded(header)}.${payload}.${signature}`)).toMatchObject({
      status: 401,
    });
  });

  it.each(["none", "None", ""])("signed by nobody, alg %j, is refused", async (alg) => {
    const payload = { aud: RESOURCE, sub: "ada", iss: local.issuer, ...inAnHour() };
    const { status } = await refused(`${encoded({ alg, kid: "local" })}.${encoded(payload)}.`);
    expect(status).toBe(401);
  });

  it.each([
    ["the PEM", async (key: CryptoKey) => new TextEncoder().encode(await exportSPKI(key))],
    [
      "the JWK",
      async (key: CryptoKey) => new TextEncoder().encode(JSON.stringify(await exportJWK(key))),
    ],
  ])("signed with %s of the public key as a shared secret is refused", async (_, secretOf) => {
    const key = await importJWK({ ...local.jwks.keys[0] }, "ES256", { extractable: true });
    const token = await new SignJWT({ aud: RESOURCE, sub: "ada", iss: local.issuer, ...inAnHour() })
      .setProtectedHeader({ alg: "HS256", kid: "local" })
      .sign(await secretOf(key as CryptoKey));
    expect(await refused(token)).toEqual({ status: 401, fault: "algorithm" });
  });

  it("that brings its own key is refused", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const jwk = await exportJWK(publicKey);
    const token = await new SignJWT({ aud: RESOURCE, sub: "ada", iss: local.issuer, ...inAnHour() })
      .setProtectedHeader({ alg: "ES256", kid: "local", jwk })
      .sign(privateKey);
    expect(await refused(token)).toEqual({ status: 401, fault: "signature" });
  });

  it("by an algorithm that is not among those allowed is refused", async () => {
    const strict = guard({ issuer: local, algorithms: ["RS256"] });
    const narrow = await open(strict);
    expect(await ask(narrow, call("whoami"), await local.sign())).toMatchObject({ status: 401 });
    expect(strict.faults).toEqual(["algorithm"]);
  });

  it.each([
    "garbage",
    '"quoted"',
    "a=b",
    "a.b.c",
    "..",
    "eyJhbGciOiJFUzI1NiJ9..",
    "x".repeat(12_000),
  ])("that is none, %#, is refused", async (token) => {
    expect(await refused(token)).toEqual({ status: 401, fault: "malformed" });
  });

  it("of 100,000 characters is refused unread", async () => {
    expect(await refused("a".repeat(100_000))).toEqual({ status: 401, fault: "too_long" });
  });

  it.each(["Bearer", "Bearer ", "Bearer a b", "Bearer a, Bearer b", "Bearer a,b"])(
    "written as %s is a malformed request",
    async (authorization) => {
      const { status, challenge } = await knock(door, call("whoami"), { authorization });
      expect(status).toBe(400);
      expect(challenge).toContain('error="invalid_request"');
    },
  );

  it("is told by its scheme whatever the case, and under no other scheme", async () => {
    const lower = await knock(door, call("whoami"), { authorization: `bearer ${ada}` });
    expect(lower.status).toBe(200);
    const basic = await knock(door, call("whoami"), { authorization: `Basic ${ada}` });
    expect(basic.status).toBe(401);
    expect(basic.challenge).not.toContain("error=");
  });

  it("is looked for in the header alone: not in the query, a cookie or a form", async () => {
    const headers = { cookie: `access_token=${ada}`, "x-access-token": ada };
    expect(await knock(door, call("whoami", { access_token: ada }), headers)).toMatchObject({
      status: 401,
    });
    const url = `${RESOURCE}?access_token=${ada}`;
    const answer = await held.authenticate({ method: "POST", url, headers: new Headers() });
    expect(answer).toMatchObject({ status: 401 });
  });

  it("is in nothing that the server logs, reports or answers, nor in who it says calls", async () => {
    const told: unknown[] = [];
    const tell = (...words: unknown[]): void => void told.push(...words);
    const log = { warn: tell, error: tell };
    const server = createMcpServer({ name: "n", version: "1" }, { log, onEvent: tell })
      .tool("fails", {}, (_, { principal }) => {
        tell(principal);
        throw new Error("down");
      })
      .tool("write", { scopes: ["notes:write"] }, () => text(""));
    const { authenticate } = guard({ issuer: local, onRefusal: tell });
    const open = await throughFetch(server, { authenticate, log });
    const tokens = [await local.sign(), await local.sign({ aud: "https://other.example" })];
    for (const token of tokens) {
      told.push(await ask(open, call("fails"), token), await ask(open, call("write"), token));
    }
    server.close();
    const everything = inspect(told, { depth: 20, showHidden: true });
    expect(everything).toContain("down");
    expect(everything).toContain("insufficient_scope");
    for (const part of tokens.flatMap((token) => token.split("."))) {
      expect(everything).not.toContain(part);
    }
  });

  it("names its client as azp too, or in the claim that is set", async () => {
    const azp = await local.sign({ client_id: undefined, azp: "web" });
    expect(callerIn(await ask(door, call("whoami"), azp))).toMatchObject({ client: "web" });
    const okta = await open(guard({ issuer: local, clientClaim: "cid" }));
    const cid = await local.sign({ cid: "tablet" });
    expect(callerIn(await ask(okta, call("whoami"), cid))).toMatchObject({ client: "tablet" });
  });

  it("has the scopes of scope or scp, and those that they imply", async () => {
    const implies = { admin: ["notes:write"], "notes:write": ["notes:read", "admin"] };
    const broad = await open(guard({ issuer: local, implies }));
    const scopes = async (claims: object): Promise<unknown> => {
      const caller = callerIn(await ask(broad, call("whoami"), await local.sign({ ...claims })));
      return (caller as { scopes: unknown }).scopes;
    };
    expect(await scopes({ scope: "admin" })).toEqual(["admin", "notes:write", "notes:read"]);
    expect(await scopes({ scp: ["a", 7, "b"] })).toEqual(["a", "b"]);
    expect(await scopes({ scope: " a  toString " })).toEqual(["a", "toString"]);
    expect(await scopes({ scope: { a: 1 } })).toEqual([]);
  });
});

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
