import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Door } from "../transport/doors.js";
import { ask, call, guard, localIssuer, open } from "./guarded.js";

const statusOf = async (door: Door, token: string): Promise<number> =>
  (await ask(door, call("whoami"), token)).status;

describe("What a provider serves is not believed", () => {
  /** Serves `documents` by path, with the issuer filled in. */
  const serve = async (documents: (issuer: string) => Record<string, unknown>): Promise<string> => {
    const listener = http.createServer(({ url = "" }, response) => {
      const document = documents(issuer)[url];
      if (document === undefined) response.writeHead(404).end();
      else if (typeof document === "string") response.end(document);
      else response.end(JSON.stringify(document));
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const issuer = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}/tenant`;
    close = () => listener.close();
    return issuer;
  };
  let close: () => unknown = () => undefined;
  afterEach(() => close());

  const OAUTH = "/.well-known/oauth-authorization-server/tenant";
  const OPENID = "/.well-known/openid-configuration/tenant";
  const APPENDED = "/tenant/.well-known/openid-configuration";

  it.each([OAUTH, OPENID, APPENDED])("but its keys are, by the metadata at %s", async (place) => {
    const served: { keys?: unknown } = {};
    const issuer = await serve((self) => ({
      [place]: { issuer: self, jwks_uri: `${self}/keys` },
      "/tenant/keys": served.keys,
    }));
    const local = await localIssuer(issuer);
    served.keys = local.jwks;
    const door = await open(guard({ issuer }));
    expect(await statusOf(door, await local.sign())).toBe(200);
  });

  it.each<[string, (self: string) => Record<string, unknown>]>([
    [
      "where it names another issuer",
      (self) => ({ [OAUTH]: { issuer: `${self}/`, jwks_uri: `${self}/keys` } }),
    ],
    [
      "where its keys are not behind https",
      (self) => ({ [OAUTH]: { issuer: self, jwks_uri: "http://keys.example/" } }),
    ],
    ["where it names no keys", (self) => ({ [OAUTH]: { issuer: self } })],
    ["where it is no JSON", () => ({ [OAUTH]: "<html>", [OPENID]: "", [APPENDED]: "[]" })],
    ["where it has no end", () => ({ [OAUTH]: `"${"x".repeat(600_000)}"` })],
    [
      "where the keys are none",
      (self) => ({
        [OAUTH]: { issuer: self, jwks_uri: `${self}/keys` },
        "/tenant/keys": { keys: "many" },
      }),
    ],
  ])("%s", async (_, documents) => {
    const issuer = await serve(documents);
    const local = await localIssuer(issuer);
    const wary = guard({ issuer });
    const door = await open(wary);
    expect(await statusOf(door, await local.sign())).toBe(503);
    expect(await statusOf(door, await local.sign())).toBe(503);
    expect(wary.log).toHaveLength(1);
  });
});
