import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Wire } from "../support/hosts.js";
import { startHttp } from "../support/processes.js";
import type { HttpProcess } from "../support/processes.js";
import type { Target } from "../support/official-clients.js";
import { type Peer, type Reply, official, ours, oursByFetch } from "./peers.js";

/*
 * Every feature that Parley and the official packages 2.4.0 both have: each row is played by the
 * official client with a server of ours, and by our client with an official server, over both
 * transports. The two servers offer the same. What the official packages lack is a row as well,
 * and shows the lack, so that it fails on the day they no longer do.
 */
interface Lane {
  readonly open: (target: Target, reply: Reply) => Promise<Peer>;
  readonly server: "ours" | "official";
  readonly over: "HTTP" | "stdio";
}

const LANES: Record<string, Lane> = {
  "the official client and our server, HTTP": { open: official, server: "ours", over: "HTTP" },
  "the official client and our server, stdio": { open: official, server: "ours", over: "stdio" },
  "our client and the official server, HTTP": { open: ours, server: "official", over: "HTTP" },
  "our client by fetch and the official server": {
    open: oursByFetch,
    server: "official",
    over: "HTTP",
  },
  "our client and the official server, stdio": { open: ours, server: "official", over: "stdio" },
};

const scriptOf = (server: Lane["server"]): string =>
  path.join(import.meta.dirname, `fixtures/features-${server}.mjs`);

const TOOLS = ["add", "cancelled", "change", "chatty", "fail", "finish", "hang"];
const MORE_TOOLS = ["model", "page", "query", "roots", "slow", "wizard"];
const said = (text: string) => ({ content: [{ type: "text", text }] });
const QUESTIONS = ["Your name?", "A colour, Ada?"];

/** A row: what is done, by whichever client, with whichever server. */
type Row = (peer: Peer, server: Lane["server"]) => Promise<void>;

const FEATURES: Record<string, Row> = {
  async "a tool that asks in two rounds"(peer) {
    expect(await peer.tool("wizard")).toMatchObject(said("Ada likes green"));
    expect(peer.asked).toEqual(QUESTIONS);
  },
  async "a prompt that asks in two rounds"(peer) {
    const message = { role: "user", content: { type: "text", text: "Ada likes green" } };
    expect(await peer.prompt("wizard")).toMatchObject({ messages: [message] });
    expect(peer.asked).toEqual(QUESTIONS);
  },
  async "a resource that asks in two rounds, and again the next time"(peer) {
    for (let time = 0; time < 2; time += 1) {
      expect(await peer.resource("test://wizard")).toMatchObject({
        contents: [{ uri: "test://wizard", text: "Ada likes green" }],
      });
    }
    expect(peer.asked).toEqual([...QUESTIONS, ...QUESTIONS]);
  },
  async "flows at once"(peer) {
    const many = Array.from({ length: 10 }, () => peer.tool("wizard"));
    for (const result of await Promise.all(many)) {
      expect(result).toMatchObject(said("Ada likes green"));
    }
  },
  async "a link"(peer) {
    expect(await peer.tool("page")).toMatchObject(said("signed in"));
    expect(peer.asked).toEqual(["Sign in"]);
  },
  async "a model"(peer) {
    expect(await peer.tool("model")).toMatchObject(said("Paris"));
    expect(peer.asked).toEqual(["sample"]);
  },
  async roots(peer) {
    expect(await peer.tool("roots")).toMatchObject(said("file:///home"));
    expect(peer.asked).toEqual(["roots"]);
  },
  async "lists of tools, prompts, resources and templates"(peer) {
    expect((await peer.tools()).sort()).toEqual([...TOOLS, ...MORE_TOOLS]);
    expect((await peer.prompts()).sort()).toEqual(["review", "wizard"]);
    expect((await peer.resources()).sort()).toEqual(["note://1", "test://wizard"]);
    expect(await peer.templates()).toEqual(["page://{topic}"]);
  },
  // The official McpServer gives every list whole; its client follows our pages.
  async "pagination, which the official server lacks"(peer, server) {
    const page = server === "ours" ? { size: 4, more: true } : { size: 13, more: false };
    expect(await peer.firstPage()).toEqual(page);
  },
  async "structured content"(peer) {
    await peer.tools(); // from here on its client checks results against the output schema
    expect(await peer.tool("add", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
  },
  async "arguments in headers"(peer) {
    await peer.tools();
    expect(await peer.tool("query", { region: "Zürich, EU" })).toMatchObject(said("Zürich, EU"));
  },
  async "prompts with arguments"(peer) {
    expect(await peer.prompt("review", { language: "ruby" })).toMatchObject({
      messages: [{ content: { text: "Review ruby" } }],
    });
  },
  async "resources and templates"(peer) {
    expect(await peer.resource("note://1")).toMatchObject({
      contents: [{ uri: "note://1", mimeType: "text/plain", text: "First note" }],
    });
    expect(await peer.resource("page://cats")).toMatchObject({
      contents: [{ uri: "page://cats", text: "All about cats" }],
    });
  },
  async completion(peer) {
    const python = ["python", "pytorch"];
    const prompt = { type: "ref/prompt", name: "review" } as const;
    expect(await peer.complete(prompt, "language", "py")).toEqual(python);
    const template = { type: "ref/resource", uri: "page://{topic}" } as const;
    expect(await peer.complete(template, "topic", "py")).toEqual(python);
  },
  async progress(peer) {
    const steps: number[] = [];
    // The official client drops what it hears in one piece with the result, so that has to wait.
    const progress = (step: number): void => {
      if (steps.push(step) === 3) void peer.tool("finish");
    };
    expect(await peer.tool("slow", {}, { progress })).toMatchObject(said("done"));
    expect(steps).toEqual([1, 2, 3]);
  },
  async "logging by the request's own level"(peer) {
    const logged: unknown[] = [];
    await peer.tool("chatty", {}, { log: (data) => logged.push(data) });
    expect(logged).toEqual(["hello"]);
    await peer.tool("chatty");
    expect(logged).toEqual(["hello"]);
  },
  async cancellation(peer) {
    const before = await peer.tool("cancelled");
    const controller = new AbortController();
    const hearing = { progress: () => controller.abort(), signal: controller.signal };
    await expect(peer.tool("hang", {}, hearing)).rejects.toThrow();
    await vi.waitFor(async () => expect(await peer.tool("cancelled")).not.toEqual(before), 10_000);
  },
  async subscriptions(peer) {
    const changes = await peer.changes("note://1", () => peer.tool("change"));
    expect(changes).toEqual(["tools", "note://1"]);
  },
  async "a tool's own error"(peer) {
    expect(await peer.tool("fail")).toMatchObject({ isError: true, ...said("No such branch.") });
  },
  async "arguments that break the schema"(peer) {
    expect(await peer.tool("add", { a: "one", b: 2 })).toMatchObject({ isError: true });
  },
  async "errors of the protocol"(peer) {
    const codeOf = (call: Promise<Wire>): Promise<unknown> =>
      call.then(
        () => "no error",
        (error: unknown) => peer.codeOf(error),
      );
    expect(await codeOf(peer.tool("nothing"))).toBe(-32602);
    expect(await codeOf(peer.prompt("nothing"))).toBe(-32602);
    expect(await codeOf(peer.resource("nothing://at-all"))).toBe(-32602);
    expect(await codeOf(peer.prompt("review", {}))).toBe(-32602);
  },
};

let http: Record<Lane["server"], HttpProcess>;
beforeAll(async () => {
  const [ours, official] = await Promise.all([
    startHttp(scriptOf("ours")),
    startHttp(scriptOf("official")),
  ]);
  http = { ours, official };
}, 60_000);
afterAll(() => Promise.all([http.ours.stop(), http.official.stop()]));

const ANSWERS: Record<string, Wire> = {
  "Your name?": { content: { name: "Ada" } },
  "A colour, Ada?": { content: { colour: "green" } },
};

describe.each(Object.entries(LANES))("%s", (_, { open, server, over }) => {
  let peer: Peer;
  beforeAll(async () => {
    const target = over === "HTTP" ? { url: http[server].url } : { script: scriptOf(server) };
    peer = await open(target, (message) => ({ action: "accept", ...ANSWERS[message] }));
  }, 60_000);
  afterAll(() => peer.close());
  beforeEach(() => {
    peer.asked.length = 0;
  });

  it.each(Object.entries(FEATURES))("%s", (_feature, play) => play(peer, server));
});
