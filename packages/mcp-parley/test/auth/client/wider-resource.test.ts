import { expect, it } from "vitest";
import { authHttp } from "../../../src/auth/client/http.js";
import { findResource } from "../../../src/auth/client/resource.js";

const WELL_KNOWN = "https://mcp.example/.well-known/oauth-protected-resource";

/** Finds the metadata of a server out of these documents; gives what was asked for, in order. */
async function find(
  endpoint: string,
  documents: Readonly<Record<string, string>>,
  challenged?: string,
): Promise<{ asked: string[]; outcome: string }> {
  const asked: string[] = [];
  const fetch = (url: string): Promise<Response> => {
    asked.push(url);
    const resource = documents[url];
    const body = { resource, authorization_servers: ["https://login.example"] };
    return Promise.resolve(
      resource === undefined ? new Response("", { status: 404 }) : Response.json(body),
    );
  };
  const http = authHttp(endpoint, fetch, new AbortController().signal);
  const outcome = await findResource(http, endpoint, challenged).then(
    ({ resource }) => resource,
    (error: unknown) => (error as { fault: string }).fault,
  );
  return { asked, outcome };
}

const ENDPOINT = "https://mcp.example/a/mcp";
const OWN = `${WELL_KNOWN}/a/mcp`;

it("the address in a challenge is the only one asked", async () => {
  const there = "https://elsewhere.example/meta.json";
  const found = { asked: [there], outcome: ENDPOINT };
  expect(await find(ENDPOINT, { [there]: ENDPOINT }, there)).toEqual(found);
  expect(await find(ENDPOINT, { [OWN]: ENDPOINT }, there)).toEqual({
    asked: [there],
    outcome: "metadata_missing",
  });
});

it("without one the well-known places are: the endpoint's own, then the origin's", async () => {
  expect(await find(ENDPOINT, { [OWN]: ENDPOINT })).toEqual({ asked: [OWN], outcome: ENDPOINT });
  expect(await find(ENDPOINT, { [WELL_KNOWN]: "https://mcp.example" })).toEqual({
    asked: [OWN, WELL_KNOWN],
    outcome: "https://mcp.example", // as it stands there, without a slash
  });
  expect((await find("https://mcp.example/", {})).asked).toEqual([WELL_KNOWN]);
});

it.each([
  ["https://mcp.example/a/mcp", OWN],
  ["https://mcp.example/a/mcp/", OWN],
  ["https://MCP.example:443/a/mcp", OWN],
  ["https://mcp.example/a", `${WELL_KNOWN}/a`],
  ["https://mcp.example/", WELL_KNOWN],
  ["https://mcp.example", "https://mcp.example/custom/metadata.json"],
])("a token for %s may be sent to the endpoint, where %s says so", async (resource, url) => {
  expect((await find(ENDPOINT, { [url]: resource }, url)).outcome).toBe(resource);
});

it.each([
  ["https://mcp.example", "https://elsewhere.example/meta.json"],
  ["https://mcp.example/a", "https://elsewhere.example/meta.json"],
  ["https://mcp.example/a/mc", `${WELL_KNOWN}/a/mc`],
  ["https://mcp.example/a/mcp/more", OWN],
  ["https://mcp.example/b/mcp", OWN],
  ["https://mcp.example:8443/a/mcp", OWN],
  ["http://mcp.example/a/mcp", OWN],
  ["https://evil.example/a/mcp", OWN],
  ["https://mcp.example/a/mcp#part", OWN],
  ["https://mcp.example/a/mcp?x=1", OWN],
])("a token for %s may not, though %s says so", async (resource, url) => {
  expect((await find(ENDPOINT, { [url]: resource }, url)).outcome).toBe("resource_mismatch");
});
