import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AuthorizationError } from "../../../src/auth/client/errors.js";
import {
  type Login,
  type Notes,
  browser,
  host,
  startLogin,
  startNotes,
  tampered,
} from "./world.js";

/** What a client makes of metadata, people and authorization servers that are not what they should be. */
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
beforeEach(() => {
  login.asked.length = 0;
});

const failureOf = async (made: ReturnType<typeof host>): Promise<AuthorizationError> => {
  const failure: unknown = await made.connect(notes).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuthorizationError);
  return failure as AuthorizationError;
};

type Body = Record<string, unknown>;
const ofServer = (change: (body: Body) => Response | object) =>
  tampered((url, body) => (url.pathname.includes("protected-resource") ? change(body) : undefined));
const ofIssuer = (change: (body: Body) => Response | object) =>
  tampered((url, body) => (/oauth-auth|openid-c/.test(url.pathname) ? change(body) : undefined));
const of = (path: string, change: (body: Body) => Response | object) =>
  tampered((url, body) => (url.pathname === path ? change(body) : undefined));

describe("Nobody is sent anywhere, and no code is asked for, where", () => {
  it.each([
    [
      "the server says it is another",
      ofServer((body) => ({ ...body, resource: "https://bank.example/mcp" })),
      "resource_mismatch",
    ],
    [
      "the server says it is one beside it",
      ofServer((body) => ({ ...body, resource: `${String(body["resource"])}2` })),
      "resource_mismatch",
    ],
    [
      "the server names nothing it is",
      ofServer(({ resource: _, ...body }) => body),
      "metadata_invalid",
    ],
    [
      "the server names no authorization server",
      ofServer((body) => ({ ...body, authorization_servers: [] })),
      "metadata_invalid",
    ],
    [
      "the server has no metadata where it said",
      ofServer(() => new Response("{}", { status: 404 })),
      "metadata_missing",
    ],
    [
      "the server gives a page for its metadata",
      ofServer(() => new Response("<html>")),
      "metadata_missing",
    ],
    [
      "the server's metadata fail",
      ofServer(() => new Response("", { status: 503 })),
      "unreachable",
    ],
    [
      "the authorization server is spoken to in the clear",
      ofServer((body) => ({ ...body, authorization_servers: ["http://login.example"] })),
      "unsafe_url",
    ],
    [
      "the authorization server is no URL",
      ofServer((body) => ({ ...body, authorization_servers: ["login"] })),
      "unsafe_url",
    ],
    [
      "the authorization server has no metadata",
      ofIssuer(() => new Response("", { status: 404 })),
      "metadata_missing",
    ],
    [
      "the metadata are another's",
      ofIssuer((body) => ({ ...body, issuer: "https://honest.example" })),
      "issuer_mismatch",
    ],
    [
      "the metadata are another's by a slash",
      ofIssuer((body) => ({ ...body, issuer: `${String(body["issuer"])}/` })),
      "issuer_mismatch",
    ],
    ["the metadata are no one's", ofIssuer(({ issuer: _, ...body }) => body), "issuer_mismatch"],
    [
      "the metadata redirect",
      ofIssuer(() => new Response("", { status: 302, headers: { location: "https://a.example" } })),
      "unreachable",
    ],
    [
      "the metadata never end",
      ofIssuer((body) => ({ ...body, padding: "x".repeat(300_000) })),
      "unreachable",
    ],
    [
      "PKCE is not said to be there",
      ofIssuer(({ code_challenge_methods_supported: _, ...body }) => body),
      "pkce_unsupported",
    ],
    [
      "PKCE is there without S256",
      ofIssuer((body) => ({ ...body, code_challenge_methods_supported: ["plain"] })),
      "pkce_unsupported",
    ],
    [
      "the page for the person is a script",
      ofIssuer((body) => ({ ...body, authorization_endpoint: "javascript:alert(1)" })),
      "unsafe_url",
    ],
    [
      "there is no page for the person",
      ofIssuer(({ authorization_endpoint: _, ...body }) => body),
      "metadata_invalid",
    ],
    [
      "codes would go out in the clear",
      ofIssuer((body) => ({ ...body, token_endpoint: "http://login.example/token" })),
      "unsafe_url",
    ],
    [
      "codes would go nowhere",
      ofIssuer(({ token_endpoint: _, ...body }) => body),
      "metadata_invalid",
    ],
    [
      "the registration gives no client",
      of("/reg", () => Response.json({ client_id: 7 }, { status: 201 })),
      "registration_refused",
    ],
    [
      "the client would have to show what it has not",
      of("/reg", (body) =>
        Response.json({ ...body, token_endpoint_auth_method: "tls_client_auth" }, { status: 201 }),
      ),
      "client_unknown",
    ],
  ] as const)("%s", async (_, fetch, fault) => {
    const made = host({ fetch });
    expect(await failureOf(made)).toMatchObject({ code: "authorization_failed", fault });
    expect(made.sent).toEqual([]);
    expect(login.requests("/token")).toEqual([]);
    expect(notes.shown.filter((shown) => shown !== undefined)).toEqual([]);
  });

  it("the registration is refused: the reason is told, in one line", async () => {
    const refusal = { error: "invalid_redirect_uri", error_description: "no\nloopback" };
    const fetch = of("/reg", () => Response.json(refusal, { status: 400 }));
    const failure = await failureOf(host({ fetch }));
    expect(failure).toMatchObject({
      fault: "registration_refused",
      oauthError: "invalid_redirect_uri",
    });
    expect(failure.message).toContain(String.raw`"no\nloopback"`);
  });
});

describe("A response goes to no token endpoint", () => {
  const honest = browser();
  const answering = (change: (url: URL) => void) =>
    host({
      async authorize(page, request) {
        const url = new URL(await honest(page, request));
        change(url);
        return url;
      },
    });

  it.each<[string, (url: URL) => void]>([
    ["that another issuer gave", (url) => url.searchParams.set("iss", "https://evil.example")],
    [
      "whose issuer only reads alike",
      (url) => url.searchParams.set("iss", `${String(url.searchParams.get("iss"))}/`),
    ],
    ["whose issuer is missing, though announced", (url) => url.searchParams.delete("iss")],
    ["whose issuer is empty", (url) => url.searchParams.set("iss", "")],
    ["with two issuers", (url) => url.searchParams.append("iss", "https://evil.example")],
    ["with another state", (url) => url.searchParams.set("state", "x".repeat(43))],
    ["without its state", (url) => url.searchParams.delete("state")],
    ["without a code", (url) => url.searchParams.delete("code")],
    ["that came back elsewhere", (url) => (url.pathname = "/other")],
  ])("%s", async (_, change) => {
    expect(await failureOf(answering(change))).toMatchObject({ fault: "response_invalid" });
    expect(login.requests("/token")).toEqual([]);
  });

  it("whose issuer is another's, and nothing of the error in it is shown", async () => {
    const failure = await failureOf(
      answering((url) => {
        url.searchParams.set("iss", "https://evil.example");
        url.searchParams.set("error", "canary_code");
        url.searchParams.set("error_description", "canary text");
      }),
    );
    expect(failure).toMatchObject({ fault: "response_invalid", oauthError: undefined });
    expect(failure.message).not.toContain("canary");
  });

  it("that has an issuer where none was announced, and it is another's", async () => {
    const made = host({
      fetch: ofIssuer(({ authorization_response_iss_parameter_supported: _, ...body }) => body),
      async authorize(page, request) {
        const url = new URL(await honest(page, request));
        url.searchParams.set("iss", "https://evil.example");
        return url;
      },
    });
    expect(await failureOf(made)).toMatchObject({ fault: "response_invalid" });
    expect(login.requests("/token")).toEqual([]);
  });
});

describe("A token is not used", () => {
  it.each([
    ["of another type", { token_type: "dpop" }, "token_invalid"],
    ["of no type", { token_type: undefined }, "token_invalid"],
    ["that would add a header", { access_token: "a\r\nx-evil: 1" }, "token_invalid"],
    ["that is none", { access_token: 7 }, "token_invalid"],
  ])("%s", async (_, change, fault) => {
    const fetch = of("/token", (body) => Response.json({ ...body, ...change }));
    const failure = await failureOf(host({ fetch }));
    expect(failure.fault).toBe(fault);
    expect(failure.cause).toBeUndefined();
    expect(JSON.stringify(failure) + failure.message + String(failure.stack)).not.toContain("evil");
  });

  it("where the token endpoint refuses: its reason is told, and its status does not matter", async () => {
    const refusal = { error: "invalid_grant", error_description: "used before" };
    const headers = { "www-authenticate": "Basic" };
    const fetch = of("/token", () => Response.json(refusal, { status: 401, headers }));
    const failure = await failureOf(host({ fetch }));
    expect(failure).toMatchObject({ fault: "token_refused", oauthError: "invalid_grant" });
    expect(failure.message).toContain("used before");
  });
});
