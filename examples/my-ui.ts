import type { About, ElicitRequestFormParams, ElicitResult } from "mcp-parley/client";

/** Stands for a host's own way of asking a person; this one says yes and gives a reason. */
export function askInMyUi(question: ElicitRequestFormParams, about: About): ElicitResult {
  console.error(`${about.server.address}, ${about.name}: ${question.message}`);
  const asksWhy = Object.hasOwn(question.requestedSchema.properties, "reason");
  return { action: "accept", content: asksWhy ? { reason: "merged" } : {} };
}
