import { randomBytes } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type AnswerFunctions, answered, connect } from "mcp-parley/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Host, startNext, startNode, startWorker } from "./hosts.js";

/*
 * Each way to host, run as its reader would run it, over a tool that asks twice.
 */
const newKey = (): string => randomBytes(32).toString("base64url");
const workerKey = newKey();

const HOSTS: Record<string, () => Promise<Host>> = {
  "Express, before a body parser": () => startNode("express"),
  "Express, after a body parser": () => startNode("express-after-parser"),
  Fastify: () => startNode("fastify"),
  Hono: () => startNode("hono"),
  "Next.js": startNext,
  "Cloudflare Workers": () => startWorker(workerKey),
};

const CALL = { name: "delete_branch", arguments: { branch: "old" } };
const DONE = [{ type: "text", text: "Deleted old: merged." }];

function answerOf(message: string) {
  const content = message === "Why?" ? { reason: "merged" } : {};
  return { action: "accept" as const, content };
}

/** Sends one call by a client, and tells what it was asked and what came of it. */
const CLIENTS: Record<string, (url: string) => Promise<{ asked: string[]; content: unknown }>> = {
  async ours(url) {
    const asked: string[] = [];
    const answer: AnswerFunctions = {
      form({ message }) {
        asked.push(message);
        return answerOf(message);
      },
    };
    const client = await connect(url, { answer });
    const { content } = await client.callTool(CALL);
    await client.close();
    return { asked, content };
  },
  async official(url) {
    const asked: string[] = [];
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
    );
    client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
      asked.push(message);
      return answerOf(message);
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { content } = await client.callTool(CALL);
    await client.close();
    return { asked, content };
  },
};

describe.each(Object.entries(HOSTS))("%s", (_, start) => {
  let host: Host;
  beforeAll(async () => {
    host = await start();
  }, 120_000);
  afterAll(() => host.stop());

  it.each(Object.entries(CLIENTS))(
    "carries a flow for the client that is %s",
    async (_name, call) => {
      expect(await call(host.url)).toEqual({ asked: ["Delete old?", "Why?"], content: DONE });
    },
  );

  it("keeps flows apart that run at once", async () => {
    const client = await connect(host.url, {
      answer: { form: ({ message }) => answerOf(message) },
    });
    const branches = Array.from({ length: 20 }, (_none, at) => `b${at}`);
    const results = await Promise.all(
      branches.map((branch) => client.callTool({ ...CALL, arguments: { branch } })),
    );
    await client.close();
    expect(results.map(({ content }) => content)).toEqual(
      branches.map((branch) => [{ type: "text", text: `Deleted ${branch}: merged.` }]),
    );
  });

  it("refuses a page of another site", async () => {
    const response = await fetch(host.url, {
      method: "POST",
      headers: { origin: "https://evil.example", "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(403);
  });
});

it("a worker's flow goes on in every isolate that has its key, and in no other", async () => {
  const worker = await startWorker(workerKey);
  const client = await connect(worker.url, { capabilities: { elicitation: { form: {} } } });
  const first = await client.begin("tools/call", CALL);
  if (first.kind !== "input_required") throw new Error(first.kind);
  const sure = answered(first.pending, "sure", answerOf("Delete old?"));

  await worker.restart(newKey());
  await expect(client.resume(sure)).rejects.toMatchObject({ rpcCode: -32602 });

  await worker.restart(workerKey);
  const second = await client.resume(sure);
  if (second.kind !== "input_required") throw new Error(second.kind);
  const third = await client.resume(answered(second.pending, "why", answerOf("Why?")));
  expect(third).toMatchObject({ kind: "complete", result: { content: DONE } });

  await client.close();
  await worker.stop();
});
