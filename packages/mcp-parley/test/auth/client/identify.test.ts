import { describe, expect, it } from "vitest";
import { authHttp } from "../../../src/auth/client/http.js";
import { type ClientIdentity, identify } from "../../../src/auth/client/identify.js";
import type { Issuer } from "../../../src/auth/client/issuer.js";
import { Keeper, MemoryCredentialStore } from "../../../src/auth/client/store.js";

const ISSUER = "https://login.example";
const DOCUMENT = "https://host.example/client.json";

const EVERYTHING: ClientIdentity = {
  clients: [{ issuer: ISSUER, clientId: "known" }],
  clientMetadataUrl: DOCUMENT,
  privateKey: undefined,
  registration: { clientName: "Host", redirectUri: "http://127.0.0.1:7777/callback" },
};

interface Offers {
  readonly documents: boolean;
  readonly registration: boolean;
}

/** Whom the client is at an authorization server with these offers. */
async function whoAt({ documents, registration }: Offers, identity: ClientIdentity) {
  const issuer: Issuer = {
    issuer: ISSUER,
    token_endpoint: `${ISSUER}/token`,
    client_id_metadata_document_supported: documents,
    ...(registration && { registration_endpoint: `${ISSUER}/reg` }),
  };
  const fetch = async () => Response.json({ client_id: "registered" }, { status: 201 });
  const http = authHttp("https://mcp.example/mcp", fetch, new AbortController().signal);
  const keeper = new Keeper(new MemoryCredentialStore());
  return identify(identity, issuer, http, keeper, Date.now).then(
    ({ id }) => id.client_id,
    (error: unknown) => (error as { fault: string }).fault,
  );
}

describe("A client that may be known in every way", () => {
  const unknown = { ...EVERYTHING, clients: [] };
  const elsewhere = { ...EVERYTHING, clients: [{ issuer: "https://b.example", clientId: "b" }] };
  const [ALL, NONE] = [
    { documents: true, registration: true },
    { documents: false, registration: false },
  ];
  it.each<[string, string, ClientIdentity, Offers]>([
    ["known", "as it was registered beforehand, first of all", EVERYTHING, ALL],
    ["known", "as it was registered beforehand, whatever is offered", EVERYTHING, NONE],
    [DOCUMENT, "by its document, where documents are taken", unknown, ALL],
    [DOCUMENT, "by its document, where it is registered with another alone", elsewhere, ALL],
    [
      "registered",
      "as it registers itself, where no documents are taken",
      unknown,
      { ...ALL, documents: false },
    ],
    ["client_unknown", "nobody, where neither is offered", unknown, NONE],
  ])("is %s: %s", async (expected, _, identity, offers) => {
    expect(await whoAt(offers, identity)).toBe(expected);
  });
});
