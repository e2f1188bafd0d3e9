import { request as send } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { request } from "../support/caller.js";
import { headersOf } from "../support/hosts.js";
import type { Wire } from "../support/hosts.js";
import { ALICE, MALLORY, RENT, bank, lastRound, open, scene } from "./bank.js";
import type { Door, Raw, Scene } from "./bank.js";

/** Attacks by way of HTTP. `transport/http-checks.test.ts` and `node-http.test.ts` go into each check. */
let at: Scene;
let door: Door;

beforeEach(async () => {
  at = scene();
  door = await open(bank(at));
});
afterEach(() => door.close());

/** The victim's own last round, sent with other headers: what a page or a proxy could do. */
async function knockAs(headers: Record<string, string>, path?: string): Promise<Raw> {
  const message = request("tools/call", await lastRound(door));
  return knock(JSON.stringify(message), { ...headersOf(message, ALICE), ...headers }, path);
}

/** Below fetch, which does not let a test name its own host. */
function knock(body: string, headers: Record<string, string>, path = "/mcp"): Promise<Raw> {
  const { port } = new URL(door.origin);
  return new Promise((resolve, reject) => {
    const going = send({ host: "127.0.0.1", port, path, method: "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: {}, text }));
    });
    going.on("error", reject).end(body);
  });
}

describe("a web page of the attacker's", () => {
  it("that points its own name at this machine (DNS rebinding) is refused", async () => {
    const rebound = { host: "evil.example", origin: "http://evil.example" };
    expect((await knockAs(rebound)).status).toBe(403);
    expect((await knockAs({ host: "evil.example" })).status).toBe(403);
    expect(at.moved).toEqual([]);
  });

  it.each(["https://evil.example", "null", "http://127.0.0.1.evil.example"])(
    "of origin %s that sends a request across sites is refused",
    async (origin) => {
      expect((await knockAs({ origin })).status).toBe(403);
      expect(at.moved).toEqual([]);
    },
  );

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])(
    "that sends a form, as %s, which needs no leave, is refused",
    async (type) => {
      expect((await knockAs({ "content-type": type })).status).toBe(415);
      expect(at.moved).toEqual([]);
    },
  );

  it("that says it was forwarded from somewhere good is not believed", async () => {
    const forwarded = {
      host: "evil.example",
      "x-forwarded-host": "localhost",
      forwarded: "host=localhost",
    };
    expect((await knockAs(forwarded)).status).toBe(403);
    expect(at.moved).toEqual([]);
  });
});

describe("headers that say something else than the body", () => {
  it.each<[string, Record<string, string>]>([
    ["a harmless method", { "mcp-method": "tools/list" }],
    ["a harmless tool", { "mcp-name": "profile" }],
    ["a harmless tool, encoded", { "mcp-name": "=?base64?cHJvZmlsZQ==?=" }],
    ["an older revision", { "mcp-protocol-version": "2025-11-25" }],
  ])("such as %s, to get past a gateway, are refused", async (_, headers) => {
    const { status, text } = await knockAs(headers);
    expect(status).toBe(400);
    expect(text).toMatch(/-3202[02]/);
    expect(at.moved).toEqual([]);
  });

  it("such as another method in an override header change nothing", async () => {
    const { text } = await knockAs({ "x-http-method-override": "DELETE", "mcp-session-id": "1" });
    expect(text).toContain("Sent 100 to landlord.");
  });
});

describe("a state in another place than the body", () => {
  it.each<[string, Record<string, string>, (state: string) => string]>([
    ["the address", {}, (state) => `/mcp?requestState=${state}`],
    ["a header", { "x-request-state": "…" }, () => "/mcp"],
  ])("such as %s is nothing: the call begins anew", async (_, headers, path) => {
    const last = await lastRound(door);
    const state = last["requestState"] as string;
    const message = request("tools/call", RENT);
    const held = Object.fromEntries(Object.keys(headers).map((name) => [name, state]));
    const { text } = await knock(
      JSON.stringify(message),
      { ...headersOf(message, ALICE), ...held },
      path(state),
    );
    expect(text).toContain('"sure"');
    expect(at.moved).toEqual([]);
  });

  it("such as _meta is nothing either", async () => {
    const last = await lastRound(door);
    const { requestState, inputResponses } = last;
    const { result } = await door.call({ ...RENT, _meta: { requestState, inputResponses } }, ALICE);
    expect(Object.keys(result?.["inputRequests"] as Wire)).toEqual(["sure"]);
  });

  it("such as a method that cannot ask is not opened there, and still good where it belongs", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const list = await door.send(request("tools/list", last), MALLORY);
    expect(list.error).toBeUndefined();
    expect((await door.call(last, MALLORY)).result).toHaveProperty("content");
  });
});

describe("a caller who is not let in", () => {
  it("learns nothing of states, theirs or others'", async () => {
    const last = await lastRound(door);
    const closed = await open(bank(at), { authenticate: () => ({ status: 401 }) });
    const message = request("tools/call", last);
    const junk = request("tools/call", { ...last, requestState: "junk" });
    const answers = [message, junk].map((each) =>
      closed.knock(JSON.stringify(each), headersOf(each, undefined)),
    );
    const [good, bad] = await Promise.all(answers);
    expect(good?.status).toBe(401);
    expect(good).toEqual(bad);
    await closed.close();
  });
});
