import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { repository } from "./repository.js";

type Progress = { branch: string; sure: true };

const codec = createRequestStateCodec<Progress>({
  key: process.env["STATE_SECRET"] ?? "a secret of thirty-two bytes or more",
  bind: (ctx) => `${ctx.mcpReq.method}\0${ctx.http?.authInfo?.clientId ?? ""}`,
});
const whySchema = z.object({ reason: z.string().max(80) });

const server = new McpServer({ name: "repo-janitor", version: "1.0.0" }, { requestState: codec });

server.registerTool(
  "delete_branch",
  { inputSchema: z.object({ branch: z.string() }) },
  async ({ branch }, ctx) => {
    const state = ctx.mcpReq.requestState<Progress>(); // undefined on the first call
    const text = (text: string) => ({ content: [{ type: "text" as const, text }] });
    if (state === undefined) {
      const sure = inputResponse(ctx.mcpReq.inputResponses, "sure");
      if (sure.kind !== "elicit") {
        return inputRequired({
          inputRequests: {
            sure: inputRequired.elicit({
              message: `Delete ${branch}?`,
              requestedSchema: { type: "object", properties: {} },
            }),
          },
        }); // no state: whoever sends `sure` with a first call was never asked
      }
      if (sure.action !== "accept") return text(`Not deleted: ${sure.action}.`);
      return askWhy({ branch, sure: true });
    }
    if (state.branch !== branch) return text("These are not the arguments that were confirmed.");
    const why = inputResponse(ctx.mcpReq.inputResponses, "why");
    if (why.kind !== "elicit") return askWhy(state);
    if (why.action !== "accept") return text(`Not deleted: ${why.action}.`);
    const { reason } = whySchema.parse(why.content);
    // nothing here stops the same round from running twice
    repository.delete(branch, { reason, idempotencyKey: crypto.randomUUID() });
    return text(`Deleted ${branch}.`);

    async function askWhy(state: Progress) {
      return inputRequired({
        inputRequests: {
          why: inputRequired.elicit({ message: "Why?", requestedSchema: whySchema }),
        },
        requestState: await codec.mint(state, ctx),
      });
    }
  },
);

serveStdio(() => server);
