import { describe, expect, it } from "vitest";
import { authHttp } from "../../../src/auth/client/http.js";
import { register } from "../../../src/auth/client/register.js";

/** What a client asks for that comes back to `redirectUri`. */
async function askedFor(redirectUri: string): Promise<unknown> {
  let asked: unknown;
  const http = authHttp(
    "https://mcp.example/mcp",
    async (url, init) => {
      asked = await new Request(url, init).json();
      return Response.json({ client_id: "new" }, { status: 201 });
    },
    new AbortController().signal,
  );
  const issuer = {
    issuer: "https://login.example",
    token_endpoint: "https://login.example/token",
    registration_endpoint: "https://login.example/reg",
    client_id_metadata_document_supported: false,
  };
  await register({ clientName: "Host", redirectUri }, issuer, http);
  return asked;
}

describe("A client that registers itself", () => {
  it.each([
    ["native", "http://127.0.0.1:7777/callback"],
    ["native", "http://localhost:7777/callback"],
    ["native", "http://[::1]:7777/callback"],
    ["native", "https://localhost:7777/callback"],
    ["web", "https://host.example/callback"],
  ])("is a %s one where people come back to %s", async (kind, redirectUri) => {
    expect(await askedFor(redirectUri)).toMatchObject({
      application_type: kind,
      redirect_uris: [redirectUri],
    });
  });

  it("says that it uses refresh tokens", async () => {
    expect(await askedFor("https://host.example/callback")).toMatchObject({
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    });
  });
});
