import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import { metadataUrls } from "../../src/auth/discovery.js";
import { bearer } from "../../src/entry/auth.js";
import { RESOURCE, ask, call, guard, localIssuer, open } from "./guarded.js";

const SOUND = { resource: RESOURCE, issuer: "https://id.example" };
const usage = expect.objectContaining({ code: "usage" }) as Error;

describe("Settings that can't be meant are refused", () => {
  const privateKey = { kty: "EC", d: "secret" };
  it.each<[string, object]>([
    ["resource", { resource: "mcp.example/mcp" }],
    ["resource", { resource: "https://mcp.example/mcp#part" }],
    ["resource", { resource: "https://mcp.example/mcp?a=b" }],
    ["resource", { resource: "http://mcp.example/mcp" }],
    ["resource", { resource: "https://me:secret@mcp.example/mcp" }],
    ["issuer", { issuer: "id.example" }],
    ["issuer", { issuer: "http://id.example" }],
    ["issuer", { issuer: [] }],
    ["jwks", { issuer: { issuer: "https://id.example", jwks: "http://id.example/keys" } }],
    ["jwks", { issuer: { issuer: "https://id.example", jwks: { keys: [] } } }],
    ["jwks", { issuer: { issuer: "https://id.example", jwks: { keys: [privateKey] } } }],
    [
      "jwks",
      { issuer: { issuer: "https://id.example", jwks: { keys: [{ kty: "oct", k: "AA" }] } } },
    ],
    ["jwks", { issuer: { issuer: "https://id.example", jwks: {} } }],
    ["audience", { audience: [] }],
    ["audience", { audience: "" }],
    ["scopes", { scopes: ["two words"] }],
    ["scopes", { scopes: ['"'] }],
    ["scopes", { scopes: [""] }],
    ["scopes", { scopes: ["offline_access"] }],
    ["scopesSupported", { scopesSupported: ["offline_access"] }],
    ["implies", { implies: { admin: ["a b"] } }],
    ["anonymous", { anonymous: ["tools/call "] }],
    ["anonymous", { anonymous: [""] }],
    ["algorithms", { algorithms: [] }],
    ["algorithms", { algorithms: ["HS256"] }],
    ["algorithms", { algorithms: ["ES256", "none"] }],
    ["clockToleranceMs", { clockToleranceMs: 300_001 }],
    ["clockToleranceMs", { clockToleranceMs: -1 }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["timeoutMs", { timeoutMs: Infinity }],
  ])("%s: %j", (setting, given) => {
    const make = () => bearer({ ...SOUND, ...given });
    expect(make).toThrow(usage);
    expect(make).toThrow(new RegExp(`^${setting}`));
  });
});

it("http will do on this machine", () => {
  const issuers = ["http://localhost:1", "http://127.0.0.1:1/a", "http://[::1]:1"];
  expect(() => bearer({ resource: "http://127.0.0.1:3000/mcp", issuer: issuers })).not.toThrow();
});

describe("An audience", () => {
  it("is the resource, whichever way a client spells its origin", async () => {
    const local = await localIssuer();
    const door = await open(guard({ issuer: local, resource: "https://MCP.example" }));
    const statusOf = async (aud: string): Promise<number> =>
      (await ask(door, call("whoami"), await local.sign({ aud }))).status;
    expect(await statusOf("https://MCP.example")).toBe(200);
    expect(await statusOf("https://mcp.example/")).toBe(200);
    expect(await statusOf("https://mcp.example/mcp")).toBe(401);
  });

  it("that is set stands in the resource's place", async () => {
    const local = await localIssuer();
    const door = await open(guard({ issuer: local, audience: ["api://notes", "notes"] }));
    expect(await ask(door, call("whoami"), await local.sign({ aud: "notes" }))).toMatchObject({
      status: 200,
    });
    expect(await ask(door, call("whoami"), await local.sign())).toMatchObject({ status: 401 });
  });
});

it("Keys at a URL are fetched there, by the fetch that is given", async () => {
  const { publicKey } = await generateKeyPair("ES256");
  const local = await localIssuer("https://id.example");
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return Response.json({
      keys: [{ ...(await exportJWK(publicKey)), kid: "other" }, ...local.jwks.keys],
    });
  };
  const door = await open(
    guard({ issuer: { issuer: local.issuer, jwks: "https://keys.example/set" }, fetch }),
  );
  expect(await ask(door, call("whoami"), await local.sign())).toMatchObject({ status: 200 });
  expect(asked).toEqual(["https://keys.example/set"]);
});

it("A key set that is a redirect leads nowhere", async () => {
  const local = await localIssuer("https://id.example");
  const fetch = async () => Response.redirect("https://elsewhere.example", 302);
  const door = await open(guard({ issuer: local.issuer, fetch }));
  expect(await ask(door, call("whoami"), await local.sign())).toMatchObject({ status: 503 });
});

it("Metadata are looked for in the order of the specification", () => {
  expect(metadataUrls("https://id.example")).toEqual([
    "https://id.example/.well-known/oauth-authorization-server",
    "https://id.example/.well-known/openid-configuration",
  ]);
  expect(metadataUrls("https://id.example/tenant1/")).toEqual([
    "https://id.example/.well-known/oauth-authorization-server/tenant1",
    "https://id.example/.well-known/openid-configuration/tenant1",
    "https://id.example/tenant1/.well-known/openid-configuration",
  ]);
});
