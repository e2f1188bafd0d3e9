import { beforeAll, describe, expect, it } from "vitest";
import type { BearerOptions } from "../../src/auth/bearer-options.js";
import { text } from "../../src/server/results.js";
import { createMcpServer } from "../../src/server/server.js";
import { request } from "../support/caller.js";
import { DOORS, type Door } from "../transport/doors.js";
import {
  METADATA,
  ask,
  call,
  callerIn,
  guard,
  knock,
  localIssuer,
  open,
  whoami,
} from "./guarded.js";

let local: Awaited<ReturnType<typeof localIssuer>>;
beforeAll(async () => {
  local = await localIssuer();
});

const doorOf = (options: Partial<BearerOptions> = {}): Promise<Door> =>
  open(guard({ issuer: local, ...options }));
const where = `resource_metadata="${METADATA}"`;

describe.each(DOORS)("A challenge through %s", (_, through) => {
  it("to who shows no token says where the metadata is and what to ask for, and names no error", async () => {
    const door = await open(
      guard({ issuer: local, scopes: ["notes:read", "profile"] }),
      undefined,
      through,
    );
    const { status, challenge, result, error } = await ask(door, call("whoami"));
    expect({ status, result, error }).toEqual({ status: 401, result: undefined, error: undefined });
    expect(challenge).toBe(`Bearer scope="notes:read profile", ${where}`);
    await door.close();
  });

  it("to who lacks a tool's scopes is a 403 that names all of them, and the tool does not run", async () => {
    const door = await open(guard({ issuer: local }), whoami(), through);
    const token = await local.sign({ scope: "notes:read other" });
    const { status, challenge, error, result } = await ask(door, call("write"), token);
    expect(status).toBe(403);
    expect(challenge).toBe(
      `Bearer error="insufficient_scope", error_description="The access token does not have the scopes this needs", scope="notes:read notes:write", ${where}`,
    );
    expect(error).toMatchObject({ code: 1005, data: { scopes: ["notes:read", "notes:write"] } });
    expect(result).toBeUndefined();
    const enough = await local.sign({ scope: "notes:read notes:write" });
    expect(await ask(door, call("write"), enough)).toMatchObject({ status: 200 });
    await door.close();
  });
});

describe("A challenge", () => {
  it("names the scopes that every request needs with those of the tool", async () => {
    const door = await doorOf({ scopes: ["base"] });
    const token = await local.sign({ scope: "base" });
    const { challenge } = await ask(door, call("write"), token);
    expect(challenge).toContain('scope="base notes:read notes:write"');
  });

  it("comes before everything where a scope is lacking that every request needs", async () => {
    const door = await doorOf({ scopes: ["base"] });
    const { status, challenge } = await ask(door, request("tools/list"), await local.sign());
    expect(status).toBe(403);
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="base"');
    expect(challenge).toContain(where);
  });

  it("is not due where a broader scope implies what is needed", async () => {
    const door = await doorOf({
      scopes: ["base"],
      implies: { admin: ["base", "notes:read", "notes:write"] },
    });
    expect(await ask(door, call("write"), await local.sign({ scope: "admin" }))).toMatchObject({
      status: 200,
    });
  });

  it("says nothing of a tool the caller is not shown", async () => {
    const server = createMcpServer({ name: "n", version: "1" }, { log: false }).tool(
      "hidden",
      { scopes: ["secret"], visible: () => false },
      () => text(""),
    );
    const door = await open(guard({ issuer: local }), server);
    const { status, challenge, error } = await ask(door, call("hidden"), await local.sign());
    expect({ status, challenge, code: error?.code }).toEqual({
      status: 200,
      challenge: null,
      code: -32602,
    });
  });

  it("is readable by a page that may call the server", async () => {
    const { authenticate } = guard({ issuer: local });
    const origin = "https://app.example";
    const { toFetchHandler } = await import("../../src/transport/fetch.js");
    const handler = toFetchHandler(whoami(), { authenticate, allowedOrigins: [origin] });
    const headers = { origin, "content-type": "application/json", accept: "application/json" };
    const answer = await handler(
      new Request("https://mcp.example/mcp", { method: "POST", headers, body: "{}" }),
    );
    expect(answer.status).toBe(401);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-expose-headers")).toContain("www-authenticate");
  });

  it("of an authenticate of one's own is a plain one", async () => {
    const { throughFetch } = await import("../transport/doors.js");
    const authenticate = () => ({ issuer: "", subject: "ada" });
    const door = await throughFetch(whoami(), { authenticate, log: false });
    const { status, challenge } = await ask(door, call("write"));
    expect(status).toBe(403);
    expect(challenge).toMatch(
      /^Bearer error="insufficient_scope".*scope="notes:read notes:write"$/,
    );
  });

  it("that could not be sent is an internal error of the server's own", async () => {
    const { throughFetch } = await import("../transport/doors.js");
    const authenticate = Object.assign(() => undefined, { challenge: () => "a\r\nset-cookie: b" });
    const door = await throughFetch(whoami(), { authenticate, log: false });
    expect(await ask(door, call("write"))).toMatchObject({ error: { code: -32603 } });
  });
});

describe("A caller without a token", () => {
  it("is refused by default, whatever it asks for", async () => {
    const door = await doorOf();
    for (const message of [request("server/discover"), request("tools/list"), call("whoami")]) {
      expect(await ask(door, message)).toMatchObject({ status: 401 });
    }
  });

  it("goes on where anonymous callers may, as far as no scopes are needed", async () => {
    const door = await doorOf({ anonymous: true });
    expect(callerIn(await ask(door, call("whoami")))).toBeNull();
    const signedIn = await ask(door, call("signed_in"));
    expect(signedIn).toMatchObject({ status: 401, error: { code: 1005, data: { scopes: [] } } });
    expect(signedIn.challenge).toBe(`Bearer ${where}`);
    const write = await ask(door, call("write"));
    expect(write.status).toBe(401);
    expect(write.challenge).toBe(`Bearer scope="notes:read notes:write", ${where}`);
    expect(callerIn(await ask(door, call("signed_in"), await local.sign()))).toMatchObject({
      subject: "ada",
    });
  });

  it("is held to a token it does show, though it could have gone without", async () => {
    const door = await doorOf({ anonymous: true });
    expect(await ask(door, call("whoami"), "garbage")).toMatchObject({ status: 401 });
    expect(await knock(door, call("whoami"), { authorization: "Basic YTpi" })).toMatchObject({
      status: 401,
    });
  });

  it("goes on with the methods and tools that are listed, and no others", async () => {
    const door = await doorOf({ anonymous: ["server/discover", "tools/call whoami"] });
    expect(await ask(door, request("server/discover"))).toMatchObject({ status: 200 });
    expect(await ask(door, call("whoami"))).toMatchObject({ status: 200 });
    expect(await ask(door, call("signed_in"))).toMatchObject({ status: 401 });
    expect(await ask(door, request("tools/list"))).toMatchObject({ status: 401 });
  });

  it.each([
    [{ "mcp-method": "server/discover" }],
    [{ "mcp-method": "server/discover", "mcp-name": undefined }],
    [{ "mcp-name": "whoami" }],
    [{ "mcp-name": "=?base64?d2hvYW1p?=" }],
  ])("does not get in by headers that say something else than its body: %j", async (headers) => {
    const door = await doorOf({ anonymous: ["server/discover", "tools/call whoami"] });
    const answer = await knock(door, call("signed_in"), headers);
    expect(answer).toMatchObject({ status: 400, result: undefined, error: { code: -32020 } });
  });

  it("does not get in without those headers either", async () => {
    const door = await doorOf({ anonymous: ["server/discover"] });
    expect(
      await knock(door, request("server/discover"), { "mcp-method": undefined }),
    ).toMatchObject({ status: 401 });
  });
});
