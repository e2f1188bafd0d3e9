import type { Dispatcher } from "mcp-parley/node";
import { body, retry } from "./load.js";

/* A server of ours with no transport around it: what it does itself, and not what carries it. */

type Context = Parameters<Dispatcher["dispatch"]>[1];

const CONTEXT: Context = {
  principal: undefined,
  signal: new AbortController().signal,
  notify: () => undefined,
};

async function answerTo(server: Dispatcher, text: string): Promise<string> {
  const reply = await server.dispatch(JSON.parse(text), CONTEXT);
  if (reply === undefined) throw new Error("no reply");
  return reply.text;
}

/** Begins a flow and leaves it. */
export async function beginFlow(server: Dispatcher): Promise<string> {
  return answerTo(server, body("flow", {}));
}

/** Plays a two-round flow. */
export async function playFlow(server: Dispatcher): Promise<void> {
  const last = await answerTo(server, retry("flow", await beginFlow(server)));
  if (!last.includes('"complete"')) throw new Error(last);
}
