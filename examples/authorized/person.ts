import { connect } from "mcp-parley/client";
import { oauth } from "mcp-parley/client/auth";
import type { CredentialStore } from "mcp-parley/client/auth";
import { loopback } from "mcp-parley/client/loopback";

/** Reads somebody's notes. The first time they sign in, in the browser that `open` opens. */
export async function readNotes(
  url: string,
  open: (page: URL) => void,
  store: CredentialStore,
  port = 8917,
): Promise<string> {
  const person = await loopback({ port, open });
  const authorization = oauth({
    redirectUri: person.redirectUri,
    authorize: person.authorize,
    registration: { clientName: "Notes reader" },
    store,
  });
  const client = await connect(url, { authorization });
  const { content } = await client.callTool({ name: "read" });
  await client.close();
  await person.close();
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
