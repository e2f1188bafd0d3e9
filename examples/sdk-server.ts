import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { form, text } from "mcp-parley";
import { createParley } from "mcp-parley/sdk";
import { z } from "zod";
import { repository } from "./repository.js";
import { serveBothEras } from "./sdk-http.js";

const parley = createParley({ name: "repo-janitor" }); // one for the process: keys, ledger, limits

function makeServer(): McpServer {
  const info = { name: "repo-janitor", version: "1.0.0" };
  const server = new McpServer(info, { requestState: parley.requestState });

  server.registerTool(
    "delete_branch",
    {
      description: "Deletes a branch once the user confirms",
      inputSchema: z.object({ branch: z.string() }),
    },
    parley.flow("delete_branch", async ({ branch }, call) => {
      await call.ask("sure", form(`Delete ${branch}?`));
      const { reason } = await call.ask("why", form("Why?", Reason));
      await call.once("delete", ({ idempotencyKey }) =>
        repository.delete(branch, { reason, idempotencyKey }),
      );
      return text(`Deleted ${branch}.`);
    }),
  );

  server.registerPrompt(
    "review",
    { description: "Reviews a file", argsSchema: z.object({ file: z.string() }) },
    parley.flow("review", async ({ file }, call) => {
      const { focus } = await call.ask("focus", form("What matters?", Focus));
      const { tone } = await call.ask("tone", form("In which tone?", Tone));
      const ask = `Review ${file} for ${focus}, in a ${tone} tone.`;
      return { messages: [{ role: "user", content: { type: "text", text: ask } }] };
    }),
  );

  server.registerResource(
    "secret",
    "vault://secret",
    { description: "Shown to those who have read the terms" },
    parley.flow("secret", async (uri, call) => {
      await call.ask("terms", form("Do you accept the terms?"));
      const { purpose } = await call.ask("purpose", form("What for?", Purpose));
      return { contents: [{ uri: uri.href, text: `For ${purpose}: open sesame` }] };
    }),
  );
  return server;
}

// made once, so that each is converted once
const Reason = z.object({ reason: z.string().max(80) });
const Focus = z.object({ focus: z.enum(["safety", "speed"]) });
const Tone = z.object({ tone: z.enum(["kind", "blunt"]) });
const Purpose = z.object({ purpose: z.string().min(1) });

const port = process.env["PORT"];
if (port === undefined) serveStdio(makeServer);
else console.error(`Serving ${await serveBothEras(makeServer, Number(port))}`);
