import type { CallToolResult, InputRequests } from "mcp-parley/client";
import type { Round } from "./proxy.js";

/** What happened in a round, in words: what the client brought, and what the instance came to. */
export function roundText({ request, answer }: Round): string {
  const { params } = request as { params: { inputResponses?: Record<string, { action: string }> } };
  const brought = Object.entries(params.inputResponses ?? {}).map(
    ([key, { action }]) => `gets "${key}": ${action}`,
  );
  return [...brought, outcomeText(answer)].join(", ");
}

function outcomeText(answer: unknown): string {
  const { result } = answer as {
    result?: Partial<CallToolResult> & { inputRequests?: InputRequests };
  };
  if (result === undefined) return "refuses";
  const asked = Object.keys(result.inputRequests ?? {}).map((key) => `asks "${key}"`);
  if (asked.length > 0) return asked.join(", ");
  return result.isError === true ? "ends without publishing" : "publishes";
}
