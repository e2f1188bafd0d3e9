import {
  McpServer,
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
} from "@modelcontextprotocol/server";
import { addPlainTools, branch, said, serveOfficial, why } from "./official-tools.js";

/* The official SDK as its documentation has it, with its own codec and the binding that offers. */
const codec = createRequestStateCodec<{ round: number }>({
  key: "a secret of thirty-two bytes or more",
  bind: (ctx) => `${ctx.mcpReq.method}\0${ctx.http?.authInfo?.clientId ?? ""}`,
});

serveOfficial(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" }, { requestState: codec });
  addPlainTools(server);
  const asking = (name: string, rounds: number): void => {
    server.registerTool(name, { inputSchema: branch }, async (_, ctx) => {
      const round = ctx.mcpReq.requestState<{ round: number }>()?.round ?? 0;
      const given = acceptedContent(ctx.mcpReq.inputResponses, "why", why);
      if (round === rounds && given !== undefined) return said("done");
      return inputRequired({
        inputRequests: { why: inputRequired.elicit({ message: "Why?", requestedSchema: why }) },
        requestState: await codec.mint({ round: round + 1 }, ctx),
      });
    });
  };
  asking("flow", 1);
  asking("five", 4);
  return server;
});
