import { describe, expect, it } from "vitest";
import { authHttp } from "../../../src/auth/client/http.js";
import { type ProtectedResource, findResource } from "../../../src/auth/client/resource.js";

const ENDPOINT = "https://mcp.example/public/mcp";
const OWN = "https://mcp.example/.well-known/oauth-protected-resource/public/mcp";
const ROOT = "https://mcp.example/.well-known/oauth-protected-resource";
const TOLD = "https://mcp.example/elsewhere.json";
const SOUND = { resource: ENDPOINT, authorization_servers: ["https://login.example"] };

/** What a client makes of the documents there are, and where it asked for them, in order. */
async function look(documents: Record<string, object>, challenged?: string) {
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url);
    const document = documents[url];
    return document === undefined ? new Response("", { status: 404 }) : Response.json(document);
  };
  const http = authHttp(ENDPOINT, fetch, new AbortController().signal);
  const found = await findResource(http, ENDPOINT, challenged).catch(
    (error: unknown) => (error as { fault: string }).fault,
  );
  return { asked, found };
}

describe("A server's metadata", () => {
  it.each<[string, Record<string, object>, string | undefined, readonly string[]]>([
    [
      "where its challenge says, though they are elsewhere too",
      { [TOLD]: SOUND, [OWN]: SOUND },
      TOLD,
      [TOLD],
    ],
    [
      "at its endpoint's own place, where no challenge says",
      { [OWN]: SOUND, [ROOT]: SOUND },
      undefined,
      [OWN],
    ],
    ["at the root's place after that", { [ROOT]: SOUND }, undefined, [OWN, ROOT]],
  ])("are looked for %s", async (_, documents, challenged, places) => {
    const { asked, found } = await look(documents, challenged);
    expect(asked).toEqual(places);
    expect((found as ProtectedResource).issuers).toEqual(["https://login.example"]);
  });

  it("are missing where the challenge's address has none, whatever is at the others", async () => {
    const { asked, found } = await look({ [OWN]: SOUND, [ROOT]: SOUND }, TOLD);
    expect(found).toBe("metadata_missing");
    expect(asked).toEqual([TOLD]);
  });

  it.each([
    ENDPOINT,
    "HTTPS://MCP.Example/public/mcp",
    "https://mcp.example:443/public/mcp",
    "https://mcp.example/public/mcp/",
    "https://mcp.example/public",
    "https://mcp.example",
  ])("may call it %s, and tokens are asked for by that very name", async (resource) => {
    const { found } = await look({ [OWN]: { ...SOUND, resource } });
    expect((found as ProtectedResource).resource).toBe(resource);
  });
});
