import {
  Client as OfficialClient,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connectStdio } from "../../src/entry/client-stdio.js";
import { type AnswerFunctions, type Client, connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import type { Wire } from "../support/hosts.js";
import type { Target } from "../support/official-clients.js";

/** What a call hears of and heeds meanwhile. */
export interface Hearing {
  readonly progress?: (step: number) => void;
  /** Wants what is logged from "info" on. */
  readonly log?: (data: unknown) => void;
  readonly signal?: AbortSignal;
}

export type Reference =
  { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };

/** What both clients can do, said in one way. */
export interface Peer {
  /** The messages of forms and links, in order, and the names of other questions. */
  readonly asked: string[];
  tool(name: string, args?: Wire, hearing?: Hearing): Promise<Wire>;
  prompt(name: string, args?: Record<string, string>): Promise<Wire>;
  resource(uri: string): Promise<Wire>;
  tools(): Promise<string[]>;
  prompts(): Promise<string[]>;
  resources(): Promise<string[]>;
  templates(): Promise<string[]>;
  /** How many tools the first page has, and whether there is another. */
  firstPage(): Promise<{ size: number; more: boolean }>;
  complete(ref: Reference, name: string, value: string): Promise<string[]>;
  /** Subscribes to tools and to `uri`, provokes, and gives the first two changes. */
  changes(uri: string, provoke: () => Promise<unknown>): Promise<string[]>;
  /** The JSON-RPC code of an error it threw. */
  codeOf(error: unknown): unknown;
  close(): Promise<void>;
}

/** How forms and links are answered: by their message. */
export type Reply = (message: string) => Wire;

const MODEL = {
  role: "assistant",
  content: { type: "text", text: "Paris" },
  model: "atlas",
} as const;
const ROOTS = { roots: [{ uri: "file:///home", name: "home" }] };

/** Our client on Node. */
export const ours = (target: Target, reply: Reply): Promise<Peer> =>
  withOurs(reply, (answer) =>
    "url" in target
      ? connect(target.url, { answer })
      : connectStdio({ command: process.execPath, args: [target.script] }, { answer }),
  );

/** Our client as browsers get it. */
export function oursByFetch(target: Target, reply: Reply): Promise<Peer> {
  if (!("url" in target)) throw new Error("fetch reaches no process");
  return withOurs(reply, (answer) => connectFetch(target.url, { answer }));
}

async function withOurs(
  reply: Reply,
  open: (answer: AnswerFunctions) => Promise<Client>,
): Promise<Peer> {
  const asked: string[] = [];
  const heard = (message: string): never => {
    asked.push(message);
    return reply(message) as never;
  };
  const answer: AnswerFunctions = {
    form: ({ message }) => heard(message),
    url: ({ message }) => heard(message),
    sample() {
      asked.push("sample");
      return { ...MODEL, stopReason: "endTurn" };
    },
    roots() {
      asked.push("roots");
      return ROOTS;
    },
  };
  const client = await open(answer);
  return {
    asked,
    tool: async (name, args = {}, { progress, log, signal } = {}) =>
      await client.callTool(
        { name, arguments: args },
        {
          ...(signal === undefined ? {} : { signal }),
          ...(progress === undefined ? {} : { onProgress: (told) => progress(told.progress) }),
          ...(log === undefined ? {} : { logLevel: "info", onLog: ({ data }) => log(data) }),
        },
      ),
    prompt: async (name, args = {}) => await client.getPrompt({ name, arguments: args }),
    resource: async (uri) => await client.readResource({ uri }),
    tools: async () => (await client.listTools().all()).map(({ name }) => name),
    prompts: async () => (await client.listPrompts().all()).map(({ name }) => name),
    resources: async () => (await client.listResources().all()).map(({ uri }) => uri),
    templates: async () =>
      (await client.listResourceTemplates().all()).map(({ uriTemplate }) => uriTemplate),
    async firstPage() {
      for await (const { tools, nextCursor } of client.listTools().pages()) {
        return { size: tools.length, more: nextCursor !== undefined };
      }
      throw new Error("no page");
    },
    complete: async (ref, name, value) => [
      ...(await client.complete({ ref, argument: { name, value } })).completion.values,
    ],
    async changes(uri, provoke) {
      const changes: string[] = [];
      for await (const event of client.listen({
        toolsListChanged: true,
        resourceSubscriptions: [uri],
      })) {
        if (event.kind === "open") await provoke();
        if (event.kind === "tools") changes.push("tools");
        if (event.kind === "resource") changes.push(event.uri);
        if (changes.length === 2) break;
      }
      return changes;
    },
    codeOf: (error) => (error as { rpcCode?: unknown }).rpcCode,
    close: () => client.close(),
  };
}

/** The official client 2.4.0. */
export async function official(target: Target, reply: Reply): Promise<Peer> {
  const asked: string[] = [];
  const client = new OfficialClient(
    { name: "test", version: "1" },
    {
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode: "auto" },
    },
  );
  client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
    asked.push(message);
    return reply(message) as never;
  });
  client.setRequestHandler("sampling/createMessage", () => {
    asked.push("sample");
    return { ...MODEL, stopReason: "endTurn" };
  });
  client.setRequestHandler("roots/list", () => {
    asked.push("roots");
    return ROOTS;
  });
  await client.connect(
    "url" in target
      ? new StreamableHTTPClientTransport(new URL(target.url))
      : new StdioClientTransport({ command: process.execPath, args: [target.script] }),
  );
  return {
    asked,
    tool(name, args = {}, { progress, log, signal } = {}) {
      client.setNotificationHandler("notifications/message", ({ params }) => log?.(params.data));
      const level = { "io.modelcontextprotocol/logLevel": "info" } as const;
      return client.callTool(
        { name, arguments: args, ...(log === undefined ? {} : { _meta: level }) },
        {
          ...(signal === undefined ? {} : { signal }),
          ...(progress === undefined ? {} : { onprogress: (told) => progress(told.progress) }),
        },
      );
    },
    prompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    resource: (uri) => client.readResource({ uri }),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    async firstPage() {
      const { tools, nextCursor } = await client.request({ method: "tools/list", params: {} });
      return { size: tools.length, more: nextCursor !== undefined };
    },
    complete: async (ref, name, value) =>
      (await client.complete({ ref, argument: { name, value } })).completion.values,
    async changes(uri, provoke) {
      const changes: string[] = [];
      let enough = (): void => undefined;
      const two = new Promise<void>((resolve) => (enough = resolve));
      const add = (change: string): void => {
        if (changes.push(change) === 2) enough();
      };
      client.setNotificationHandler("notifications/tools/list_changed", () => add("tools"));
      client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
        add(params.uri),
      );
      const open = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
      await provoke();
      await two;
      await open.close();
      return changes;
    },
    codeOf: (error) => (error as { code?: unknown }).code,
    close: () => client.close(),
  };
}
