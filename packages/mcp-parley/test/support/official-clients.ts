import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import type { Wire } from "./hosts.js";

/** Where a server is: at a URL, or behind the standard streams of a script. */
export type Target = { readonly url: string } | { readonly script: string };

/** How questions are answered: by their message. Nothing said is a plain yes. */
export type Script = (message: string) => Wire | undefined;

/** What is done with a server, whichever client does it. */
export interface Connected {
  readonly revision: string | undefined;
  /** The messages of the questions put, in order. */
  readonly asked: string[];
  tool(name: string, args: Wire): Promise<Wire>;
  prompt(name: string, args: Record<string, string>): Promise<Wire>;
  resource(uri: string): Promise<Wire>;
  close(): Promise<void>;
}

const INFO = { name: "test", version: "1" };
const CAPABILITIES = { elicitation: { form: {} } };

function answering(script: Script): { asked: string[]; answer: (message: string) => Wire } {
  const asked: string[] = [];
  return {
    asked,
    answer(message) {
      asked.push(message);
      return script(message) ?? { action: "accept", content: {} };
    },
  };
}

function command({ script }: { script: string }) {
  return { command: process.execPath, args: [script], stderr: "ignore" as const };
}

/** The official client of this revision, at its own choice of revision or held to 2025. */
function official(mode: "auto" | "legacy") {
  return async (target: Target, script: Script): Promise<Connected> => {
    const client = new Client(INFO, {
      capabilities: CAPABILITIES,
      versionNegotiation: { mode },
    });
    const { asked, answer } = answering(script);
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params.message) as never);
    await client.connect(
      "url" in target
        ? new StreamableHTTPClientTransport(new URL(target.url))
        : new StdioClientTransport(command(target)),
    );
    return {
      revision: client.getNegotiatedProtocolVersion(),
      asked,
      tool: (name, args) => client.callTool({ name, arguments: args }),
      prompt: (name, args) => client.getPrompt({ name, arguments: args }),
      resource: (uri) => client.readResource({ uri }),
      close: () => client.close(),
    };
  };
}

/** The last client that was made for the 2025 revisions alone. */
async function of2025(target: Target, script: Script): Promise<Connected> {
  const client = new OldClient(INFO, { capabilities: CAPABILITIES });
  const { asked, answer } = answering(script);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message) as never);
  const transport =
    "url" in target ? new OldHttp(new URL(target.url)) : new OldStdio(command(target));
  await client.connect(transport);
  return {
    revision: LATEST_PROTOCOL_VERSION,
    asked,
    tool: (name, args) => client.callTool({ name, arguments: args }),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    resource: (uri) => client.readResource({ uri }),
    close: () => client.close(),
  };
}

/** The official clients, by what they are. */
export const officialClients: Readonly<
  Record<string, (target: Target, script: Script) => Promise<Connected>>
> = {
  "2.4.0": official("auto"),
  "2.4.0, held to 2025-11-25": official("legacy"),
  "1.x, of 2025-11-25": of2025,
};
