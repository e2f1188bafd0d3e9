import express from "express";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { metadataFetchHandler, metadataNodeHandler } from "../../src/auth/serve-metadata.js";
import { serve } from "../../src/transport/serve-node.js";
import { toNodeHandler } from "../../src/transport/node-http.js";
import { RESOURCE, guard, whoami } from "./guarded.js";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const { authenticate } = guard({
  issuer: ["https://one.example", "https://two.example/tenant"],
  scopes: ["notes:read"],
  scopesSupported: ["notes:read", "notes:write"],
  name: "Notes",
  documentation: "https://docs.example",
});
const DOCUMENT = {
  resource: RESOURCE,
  authorization_servers: ["https://one.example", "https://two.example/tenant"],
  scopes_supported: ["notes:read", "notes:write"],
  bearer_methods_supported: ["header"],
  resource_name: "Notes",
  resource_documentation: "https://docs.example",
};

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listen(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

type Get = (path: string, init?: RequestInit) => Promise<Response>;

const WAYS: [string, () => Promise<Get>][] = [
  [
    "serve",
    async () => {
      const serving = await serve(whoami(), { port: 0, authenticate, log: false });
      closers.push(() => serving.close());
      return (path, init) => fetch(new URL(path, serving.url), init);
    },
  ],
  [
    "metadataNodeHandler",
    async () => {
      const origin = await listen(metadataNodeHandler(authenticate));
      return (path, init) => fetch(origin + path, init);
    },
  ],
  [
    "metadataNodeHandler in Express",
    async () => {
      const app = express();
      app.use("/.well-known", metadataNodeHandler(authenticate));
      app.post("/mcp", toNodeHandler(whoami(), { authenticate }));
      const origin = await listen(app as http.RequestListener);
      return (path, init) => fetch(origin + path, init);
    },
  ],
  [
    "metadataFetchHandler",
    async () => {
      const handler = metadataFetchHandler(authenticate);
      return async (path, init) =>
        handler(new Request(`https://mcp.example${path}`, init)) ??
        new Response(null, { status: 404 });
    },
  ],
];

describe.each(WAYS)("Metadata by %s", (_, way) => {
  it("are at the resource's own place and at the origin's, and nowhere else", async () => {
    const get = await way();
    for (const path of [`${WELL_KNOWN}/mcp`, WELL_KNOWN, `${WELL_KNOWN}?a=b`]) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.json()).toEqual(DOCUMENT);
    }
    for (const path of [
      `${WELL_KNOWN}/other`,
      `${WELL_KNOWN}/mcp/`,
      "/.well-known/openid-configuration",
    ]) {
      expect((await get(path)).status).toBe(404);
    }
  });

  it("can be read by any page, and asked for with headers of the protocol's", async () => {
    const get = await way();
    const origin = "https://any.example";
    const read = await get(WELL_KNOWN, { headers: { origin } });
    expect(read.headers.get("access-control-allow-origin")).toBe("*");
    const asked = {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "mcp-protocol-version",
    };
    const preflight = await get(`${WELL_KNOWN}/mcp`, { method: "OPTIONS", headers: asked });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("GET");
  });

  it("can be read and not written", async () => {
    const get = await way();
    const head = await get(WELL_KNOWN, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await get(WELL_KNOWN, { method: "POST", body: "{}" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});

it("Metadata of a server at the root are in one place", () => {
  const { metadata } = guard({
    issuer: "https://one.example",
    resource: "https://mcp.example",
  }).authenticate;
  expect(metadata.paths).toEqual([WELL_KNOWN]);
  expect(metadata.url).toBe(`https://mcp.example${WELL_KNOWN}`);
  expect(metadata.document).toEqual({
    resource: "https://mcp.example",
    authorization_servers: ["https://one.example"],
    bearer_methods_supported: ["header"],
  });
});

it("Metadata need an authenticate that has them", () => {
  const plain = () => undefined;
  expect(() => metadataFetchHandler(plain)).toThrow(expect.objectContaining({ code: "usage" }));
  expect(() => metadataNodeHandler(plain)).toThrow(expect.objectContaining({ code: "usage" }));
});

it("Without them serve has nothing at their place", async () => {
  const serving = await serve(whoami(), { port: 0, log: false });
  expect((await fetch(new URL(WELL_KNOWN, serving.url))).status).toBe(404);
  await serving.close();
});
