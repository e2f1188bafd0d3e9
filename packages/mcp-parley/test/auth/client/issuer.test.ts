import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authHttp } from "../../../src/auth/client/http.js";
import { findIssuer } from "../../../src/auth/client/issuer.js";
import { metadataUrls } from "../../../src/auth/discovery.js";
import {
  type Login,
  type Notes,
  host,
  principal,
  startLogin,
  startNotes,
  tampered,
} from "./world.js";

const ISSUERS = ["https://login.example", "https://login.example/tenant1"];
const CASES = ISSUERS.flatMap((issuer) =>
  metadataUrls(issuer).map((place) => [place, issuer] as const),
);

/** Where a client asks for the metadata of `issuer`, which are at `place` and name `named`. */
async function look(issuer: string, place: string, named = issuer) {
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url);
    if (url !== place) return new Response("", { status: 404 });
    return Response.json({ issuer: named, token_endpoint: `${issuer}/token` });
  };
  const http = authHttp("https://mcp.example/mcp", fetch, new AbortController().signal);
  const outcome = await findIssuer(http, issuer).then(
    (found) => found.issuer,
    (error: unknown) => (error as { fault: string }).fault,
  );
  return { asked, outcome };
}

describe("An authorization server's metadata", () => {
  it.each(CASES)("are found at %s, after the places before it", async (place, issuer) => {
    const { asked, outcome } = await look(issuer, place);
    const places = metadataUrls(issuer);
    expect(outcome).toBe(issuer);
    expect(asked).toEqual(places.slice(0, places.indexOf(place) + 1));
  });

  it.each(CASES)("at %s that are another's are not used", async (place, issuer) => {
    const { outcome } = await look(issuer, place, "https://honest.example");
    expect(outcome).toBe("issuer_mismatch");
  });
});

describe("An authorization server that has OpenID Connect's metadata alone", () => {
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
  const openIdAlone = (change: (body: Record<string, unknown>) => object) =>
    tampered((url, body) => {
      if (url.pathname.includes("oauth-authorization-server")) {
        return new Response("", { status: 404 });
      }
      return url.pathname.includes("openid-configuration") ? change(body) : undefined;
    });

  it("is gone to", async () => {
    const client = await host({ fetch: openIdAlone((body) => body) }).connect(notes);
    expect(await principal(client)).toMatchObject({ subject: "ada" });
    await client.close();
  });

  it("is gone to by nobody where they do not say that it has PKCE", async () => {
    const made = host({
      fetch: openIdAlone(({ code_challenge_methods_supported: _, ...body }) => body),
    });
    await expect(made.connect(notes)).rejects.toMatchObject({ fault: "pkce_unsupported" });
    expect(made.sent).toEqual([]);
  });
});
